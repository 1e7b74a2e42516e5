// hosts.mjs - getaddrinfo() and getnameinfo() of a page.
//
// Numbers, 'localhost' and services are answered here. Other names are looked up by a proxy, once
// for all that ask at the same time, and the answer is kept for a minute; a failure for five
// seconds. The name of an address that was looked up is remembered for messages.
import {
  AF_INET, AF_INET6, AF_UNSPEC, AI_CANONNAME, AI_NUMERICHOST, AI_NUMERICSERV, AI_PASSIVE,
  AI_V4MAPPED, EAI_AGAIN, EAI_BADFLAGS, EAI_FAIL, EAI_FAMILY, EAI_MEMORY, EAI_NONAME, EAI_SERVICE,
  EAI_SOCKTYPE, IPPROTO_TCP, IPPROTO_UDP, NI_NAMEREQD, NI_NUMERICSERV, SOCK_DGRAM, SOCK_STREAM,
} from './socket_numbers.mjs';
import { inFamily, parseHost } from './addresses.mjs';

/** @typedef {import('./addresses.mjs').Address} Address */
/** @typedef {{ flags?: number, family?: number, type?: number, protocol?: number }} Hints */
/** @typedef {{ family: number, type: number, protocol: number, address: Address,
 *     canonical?: string }} Found */

const SERVICES = new Map(Object.entries({
  ftp: 21, ssh: 22, telnet: 23, smtp: 25, domain: 53, gopher: 70, finger: 79, http: 80, pop3: 110,
  nntp: 119, ntp: 123, imap2: 143, imap: 143, irc: 194, ldap: 389, https: 443, submission: 587,
  ldaps: 636, imaps: 993, pop3s: 995, 'ms-sql-s': 1433, mysql: 3306, postgresql: 5432, amqp: 5672,
  redis: 6379, ircd: 6667, 'http-alt': 8080, git: 9418,
}));
const FLAGS = 0x7ff;
const KEPT = 60_000, FAILURE_KEPT = 5_000, MOST_KEPT = 1000;
const CODES = { EAI_NONAME, EAI_AGAIN, EAI_FAIL, EAI_MEMORY };

/** @returns {number | null} a port */
function portOf(service, flags) {
  if (service === null || service === undefined || service === '')
    return 0;
  if (/^\d{1,5}$/.test(service))
    return Number(service) <= 65535 ? Number(service) : null;
  return flags & AI_NUMERICSERV ? null : SERVICES.get(service) ?? null;
}

function wildcards(passive) {
  return passive ? ['0.0.0.0', '::'] : ['127.0.0.1', '::1'];
}

function isLocal(host) {
  return /^(.*\.)?localhost\.?$/i.test(host);
}

/** A map that forgets its oldest entries. */
class Bounded extends Map {
  set(key, value) {
    this.delete(key);
    if (this.size >= MOST_KEPT)
      this.delete(this.keys().next().value);
    return super.set(key, value);
  }
}

export class Names {
  /**
   * @param {(host: string, family: number) => Promise<string>} ask the first message of a proxy to
   *     '/names/HOST'; rejects if no proxy answers
   * @param {() => number} [now] milliseconds
   */
  constructor(ask, now = Date.now) {
    this.ask = ask;
    this.now = now;
    this.answers = new Bounded();
    this.known = new Bounded();
  }

  /** The name by which an address was last found. @returns {string | undefined} */
  nameOf(host) {
    return this.known.get(host);
  }

  /**
   * @param {string | null} host
   * @param {string | null} service a number, or the name of one
   * @param {Hints} [hints]
   * @returns {Promise<{ code: number, list: Found[] }>} `code` is 0 or an EAI_…
   */
  async getaddrinfo(host, service, hints = {}) {
    const { flags = 0, family = AF_UNSPEC, type = 0, protocol = 0 } = hints;
    const port = portOf(service, flags);
    const code = this.wrong(host, service, { flags, family, type, protocol }, port);
    if (code)
      return { code, list: [] };
    const answer = await this.find(host, flags, family);
    if (typeof answer === 'number')
      return { code: answer, list: [] };
    return { code: 0, list: this.list(answer, { flags, type }, /** @type {number} */ (port)) };
  }

  wrong(host, service, { flags, family, type, protocol }, port) {
    const noService = service === null || service === undefined;
    if (flags & ~FLAGS || (flags & AI_CANONNAME && !host))
      return EAI_BADFLAGS;
    if ((host === null || host === undefined) && noService)
      return EAI_NONAME;
    if (![AF_UNSPEC, AF_INET, AF_INET6].includes(family))
      return EAI_FAMILY;
    const fits = { [IPPROTO_TCP]: SOCK_STREAM, [IPPROTO_UDP]: SOCK_DGRAM }[protocol] ?? 0;
    if (![0, SOCK_STREAM, SOCK_DGRAM].includes(type) || (type && fits && type !== fits))
      return EAI_SOCKTYPE;
    if (port === null)
      return flags & AI_NUMERICSERV ? EAI_NONAME : EAI_SERVICE;
    return 0;
  }

  /** @returns {Promise<{ canonical: string, hosts: Address[] } | number>} */
  async find(host, flags, family) {
    if (host === null || host === undefined)
      return this.own('', wildcards(flags & AI_PASSIVE), family);
    const number = parseHost(host);
    if (number)
      return this.number(host, number, flags, family);
    if (flags & AI_NUMERICHOST || host === '' || host.length > 253 || /[\s\0]/.test(host))
      return EAI_NONAME;
    if (isLocal(host))
      return this.own(host, wildcards(0), family);
    return this.remote(host, flags, family);
  }

  own(canonical, texts, family) {
    const hosts = texts.map((text) => /** @type {Address} */ (parseHost(text)))
      .filter((one) => !family || one.family === family);
    return { canonical, hosts };
  }

  number(host, number, flags, family) {
    const fits = family === AF_INET6 && flags & AI_V4MAPPED ? inFamily(number, family) : number;
    return family && fits.family !== family ? EAI_NONAME : { canonical: host, hosts: [fits] };
  }

  async remote(host, flags, family) {
    const answer = await this.cached(host.toLowerCase(), family);
    if (answer !== EAI_NONAME || family !== AF_INET6 || !(flags & AI_V4MAPPED))
      return answer;
    const four = await this.cached(host.toLowerCase(), AF_INET);
    return typeof four === 'number' ? four :
      { ...four, hosts: four.hosts.map((one) => inFamily(one, family)) };
  }

  cached(host, family) {
    const key = `${family} ${host}`, kept = this.answers.get(key);
    if (kept && this.now() < kept.until)
      return kept.answer;
    const entry = { until: Infinity, answer: this.lookUp(host, family) };
    this.answers.set(key, entry);
    entry.answer.then((answer) => {
      entry.until = this.now() + (typeof answer === 'number' ? FAILURE_KEPT : KEPT);
    });
    return entry.answer;
  }

  async lookUp(host, family) {
    let text;
    try {
      text = await this.ask(host, family);
    } catch {
      return EAI_AGAIN;
    }
    const [word, canonical, ...texts] = text.split(' ');
    if (word !== 'names')
      return CODES[canonical] ?? EAI_FAIL;
    const hosts = /** @type {Address[]} */ (texts.map(parseHost)
      .filter((one) => one && (!family || one.family === family)));
    for (const one of hosts)
      this.known.set(one.host, host);
    return hosts.length > 0 ? { canonical: canonical || host, hosts } : EAI_NONAME;
  }

  /** @returns {Found[]} */
  list({ canonical, hosts }, { flags, type }, port) {
    const kind = type || SOCK_STREAM; // datagrams are only listed for callers that ask for them
    return hosts.map((one, i) => ({
      family: one.family, type: kind, protocol: kind === SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP,
      address: { ...one, port },
      ...(flags & AI_CANONNAME && i === 0 ? { canonical } : {}),
    }));
  }

  /**
   * The texts of an address. Names of hosts are not looked up.
   * @param {Address} address
   * @param {number} [flags]
   * @returns {{ code: number, host: string, service: string }}
   */
  getnameinfo({ host = '', port = 0, scope }, flags = 0) {
    if (flags & NI_NAMEREQD)
      return { code: EAI_NONAME, host: '', service: '' };
    const name = flags & NI_NUMERICSERV ? undefined :
      [...SERVICES].find(([, number]) => number === port)?.[0];
    return { code: 0, host: scope ? `${host}%${scope}` : host, service: name ?? String(port) };
  }
}
