import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { socketTransport } from '../../src/client/http-transport.ts';
import { controlSocketPath } from '../../src/config/paths.ts';
import { openWorld, type World } from './pool-world.ts';
import { slowly } from '../support/real-time.ts';

/** A member of a node, with the mailbox `<username>@<node>.example`. */
export interface Person {
  readonly node: string;
  readonly username: string;
  readonly token: string;
  readonly mailbox: { readonly localPart: string; readonly domain: string };
  readonly address: string;
}

export interface MailWorld extends AsyncDisposable {
  readonly world: World;
  /** Makes one pool of the nodes, in a test. */
  unite(): Promise<void>;
  join(node: string, username: string): Promise<Person>;
  /** asks until the node answers, however often it is killed meanwhile. @param place the node whose process is asked */
  ask(
    who: Person,
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    place?: string,
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  ): Promise<any>;
  send(from: Person, to: Person, subject: string): Promise<{ readonly id: string; readonly messageId: string }>;
  /** status and failure of the only delivery of a message */
  outcome(who: Person, id: string): Promise<string>;
  /** subjects of the inbox of a member, in their order. @param place the node whose process is asked */
  inbox(who: Person, place?: string): Promise<string[]>;
}

const PAGE = 200;

/** Nodes `a`, `b` and others, each with a mail domain of its own. */
export async function openMailWorld(...names: readonly [string, ...string[]]): Promise<MailWorld> {
  const world = await openWorld(...names);
  const [first, ...others] = names;

  async function exchange(
    node: string,
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<{ status: number; told: { data: Record<string, unknown>; error?: { message: string } } }> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const sent = { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) };
    for (;;) {
      try {
        await using transport = socketTransport(controlSocketPath(join(world.folder, node)));
        const answer = await transport.send({ method, path, headers: sent, ...json });
        const told = JSON.parse(await textOf(answer.body)) as Awaited<ReturnType<typeof exchange>>['told'];
        // A server that stops says so.
        if (answer.status !== 503) return { status: answer.status, told };
      } catch {
        // It was killed before or after it did what it was asked. The key of the request says whether it did.
      }
      await slowly(200);
    }
  }

  let keys = 0;
  const mail: MailWorld = {
    world,
    async unite() {
      await world.admit(first, ...others);
      for (const name of names)
        await world.must(first, 'admin', 'nodes', 'update', world.id(name), '--mail-domain', `${name}.example`);
      await world.agree(...names);
      await world.connected(others.length, ...names);
    },
    async join(node, username) {
      const body = { username, email: `${username}@${node}.test`, password: 'seven green bottles' };
      const { status, told } = await exchange(node, 'POST', '/api/user/register', {}, body);
      if (status !== 201) throw new Error(`${username} cannot register: ${JSON.stringify(told)}`);
      const domain = `${node}.example`;
      const mailbox = { localPart: username, domain };
      return { node, username, token: String(told.data['token']), mailbox, address: `${username}@${domain}` };
    },
    async ask({ node, token }, method, path, body, place = node) {
      const headers = { authorization: `Bearer ${token}`, 'idempotency-key': `"key-${(keys += 1)}"` };
      const { status, told } = await exchange(place, method, `/api/emails${path}`, headers, body);
      if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(told)}`);
      return told.data;
    },
    async send(from, to, subject) {
      const message = { from: from.mailbox, to: [to.mailbox], subject, textBody: `About ${subject}.` };
      return await mail.ask(from, 'POST', '', message);
    },
    async outcome(who, id) {
      const { deliveries } = await mail.ask(who, 'GET', `/${id}/deliveries`);
      const [{ status, failure }] = deliveries;
      return failure === null ? status : `${status} ${failure}`;
    },
    async inbox(who, place) {
      const subjects: string[] = [];
      for (let page = 1; ; page += 1) {
        const query = `?sortBy=subject&sortDirection=asc&pageSize=${PAGE}&page=${page}`;
        const { emails } = await mail.ask(who, 'GET', `/inbox${query}`, undefined, place);
        subjects.push(...emails.map(({ subject }: { subject: string }) => subject));
        if (emails.length < PAGE) return subjects;
      }
    },
    [Symbol.asyncDispose]: async () => await world[Symbol.asyncDispose](),
  };
  return mail;
}
