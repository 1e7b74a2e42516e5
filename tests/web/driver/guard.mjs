// guard.mjs - runs a command and ends it, with all processes that it has started:
// guard.mjs SECONDS FOLDER COMMAND ARGUMENT...
//
// The guard ends the command when its own standard input ends. The system closes that pipe even if
// the test is killed, so no browser outlives its test. The command also ends after SECONDS. FOLDER
// is removed then. The guard is the leader of a session; a process that has left the session still
// has CO4_BROWSER=FOLDER in its environment.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';

const [seconds, folder, command, ...args] = process.argv.slice(2);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // it has ended since
  }
}

/** Is it ours, and not yet dead? */
function isOurs(pid) {
  // The name of the program, in parentheses, may contain spaces.
  const [state, , , session] = read(`/proc/${pid}/stat`).split(') ').at(-1).split(' ');
  if (!session || state === 'Z' || pid === process.pid)
    return false;
  const marked = () => read(`/proc/${pid}/environ`).split('\0').includes(`CO4_BROWSER=${folder}`);
  return Number(session) === process.pid || marked();
}

function ours() {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter(isOurs);
}

function send(signal) {
  const found = ours();
  for (const pid of found)
    try {
      process.kill(pid, signal);
    } catch { /* it has ended since */ }
  return found.length;
}

let ending = false;
async function end(status) {
  if (ending)
    return;
  ending = true;
  send('SIGTERM'); // an X server removes its lock
  for (let i = 0; i < 20 && ours().length; i++)
    await sleep(50);
  for (let i = 0; i < 600 && send('SIGKILL'); i++)
    await sleep(50);
  for (let i = 0; i < 50; i++)
    try {
      rmSync(folder, { recursive: true, force: true });
      break;
    } catch {
      await sleep(100);
    }
  process.exit(status);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => end(1));
process.stdin.on('end', () => end(0)).on('error', () => end(0)).resume();
setTimeout(() => end(1), Number(seconds) * 1000);
const child = spawn(command, args, {
  stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, CO4_BROWSER: folder },
});
child.on('error', (error) => {
  console.error(error.message);
  end(127);
});
child.on('exit', (status) => end(status ?? 1));
