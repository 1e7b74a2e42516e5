"""squares.py - squares.c with asyncio."""
import asyncio


async def square(n):
    await asyncio.sleep(n / 1000)
    return n * n


async def sum_of_squares():
    tasks = [asyncio.create_task(square(n)) for n in (1, 2, 3)]
    return sum([await task for task in tasks])


print(asyncio.run(sum_of_squares()))
