// Mattermost's published load profile for chat, with 200 members, their sockets, and less rest between what they do: how long each kind of action
// takes, and that none fails. Server and members share the machine, so the times are more than the server's own.
// https://github.com/mattermost/mattermost-load-test-ng, loadtest/control/simulcontroller: frequencies of actions. Run after `npm run build`:
// npx tsx scripts/bench/chat-load.ts [--members 200] [--seconds 60] [--idle 1000] [--history 100] [--engine sqljs] [--seed 1] [--small]
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'crossws/websocket';
import { seeded } from '../../test/support/run-seed.ts';
import { ask, registerMember, type BenchMember } from './chat-client.ts';
import { ownFolder, partOf, report, settings } from './harness.ts';
import { initStore, startConclave, startEngine } from './server.ts';

const { members, seconds, idle, history, engine, seed } = settings(
  { members: 200, seconds: 60, idle: 1_000, history: 100, engine: 'sqljs', seed: 1 },
  { members: 12, seconds: 5, idle: 100, history: 10 },
);
const REPLIES = 0.18;
const PAGE = 60;
const CHANNELS = 10;
const GROUP_MEMBERS = 10;
/** A half of the actions of a kind within this time, and 99 of 100, on two cores beside the members. */
const BOUNDS = { half: 100, most: 1_000 };
/** of a kind, for its slowest ones to say something */
const ENOUGH = 200;
const random = seeded(seed);

interface Room {
  readonly path: string;
  readonly id: string;
  /** ids of the newest messages that somebody has seen or sent */
  readonly recent: string[];
  /** ids of threads that somebody has seen in a list */
  readonly threads: string[];
}

interface Page {
  readonly items: readonly { readonly id: string; readonly seq: number }[];
  readonly cursor: string | null;
}

/** One member with what their client has in memory. */
interface Person extends BenchMember {
  readonly rooms: Room[];
  room: Room | undefined;
  cursor: string | null;
  readonly own: { readonly room: Room; readonly id: string }[];
  socket: WebSocket | undefined;
  /** the number of the last event of each topic */
  readonly heard: Map<string, number>;
}

await using folder = await ownFolder();
await using database = await startEngine(engine);
const env = initStore(folder.path, database.env);
await using server = await startConclave(folder.path, {
  ...env,
  CONCLAVE_LOG_LEVEL: 'warn',
  CONCLAVE_RATE_LIMITS: 'off',
  CONCLAVE_SERVER_CONNECTIONS_PER_ADDRESS: '20000',
});
const { port } = server;
const people = await openPeople();
const took = new Map<string, number[]>();
let events = 0;
const end = performance.now() + seconds * 1_000;
await Promise.all(people.map(async (person) => await live(person)));
for (const { socket } of people) socket?.close();
const actions = [...took.values()].reduce((sum, times) => sum + times.length, 0);
report(
  `${members} members for ${seconds} s on ${engine}: ${actions} actions without an error, ${events} events heard`,
  [
    ...kinds().map(({ name }) => {
      const times = took.get(name) ?? [];
      const most = partOf(times, 0.99);
      return {
        what: `${name}, ${times.length} times: 99 of 100`,
        value: most,
        unit: 'ms',
        nextTo: `half ${partOf(times, 0.5).toFixed(1)}`,
        atMost: times.length >= ENOUGH ? BOUNDS.most : undefined,
      };
    }),
    { what: 'all of them: half', value: partOf([...took.values()].flat(), 0.5), unit: 'ms', atMost: BOUNDS.half },
  ],
);

/** What members do, and how often in proportion. Answers are a part of CreatePost, and each is in a thread. */
function kinds(): {
  readonly name: string;
  readonly weight: number;
  readonly act: (who: Person) => Promise<unknown>;
}[] {
  return [
    { name: 'SwitchChannel', weight: 6.52, act: switchChannel },
    { name: 'ScrollChannel', weight: 1.99, act: scrollChannel },
    { name: 'DeleteDraft', weight: 1.41, act: async (who) => await call(who, 'DELETE', `${here(who).path}/draft`) },
    { name: 'UnreadCheck', weight: 1, act: unreadCheck },
    { name: 'CreatePost', weight: 1, act: createPost },
    { name: 'OpenDirect', weight: 0.98, act: openDirect },
    {
      name: 'UpsertDraft',
      weight: 0.5,
      act: async (who) => await call(who, 'PUT', `${here(who).path}/draft`, { content: text() }),
    },
    { name: 'ViewThreads', weight: 0.6, act: viewThreads },
    { name: 'UpdateThreadRead', weight: 0.32, act: readThread },
    { name: 'Permalink', weight: 0.3, act: permalink },
    { name: 'ViewThread', weight: 0.28, act: viewThread },
    { name: 'ReconnectWebSocket', weight: 0.144, act: reconnect },
    { name: 'AddReaction', weight: 0.13, act: addReaction },
    { name: 'EditPost', weight: 0.04, act: editPost },
    {
      name: 'SearchUsers',
      weight: 0.032,
      act: async (who) => await call(who, 'GET', `/api/social/search?type=people&q=member${below(members)}`),
    },
    { name: 'SearchPosts', weight: 0.022, act: async (who) => await call(who, 'GET', `/api/chat/search?q=${word()}`) },
  ];
}

async function call<T>(who: Person, method: string, path: string, body?: object): Promise<T> {
  return await ask<T>(port, method, path, who.token, body);
}

function below(count: number): number {
  return Math.floor(random() * count);
}

function oneOf<T>(all: readonly T[]): T {
  const one = all[below(all.length)];
  if (one === undefined) throw new Error('there is none to choose from');
  return one;
}

/** One of some hundred words, a few of which are frequent. */
function word(): string {
  return `word${Math.floor(300 * random() ** 3)}`;
}

function text(): string {
  return Array.from({ length: 3 + below(20) }, word).join(' ');
}

function here({ room }: Person): Room {
  if (room === undefined) throw new Error('this member is nowhere');
  return room;
}

function remember(room: Room, ids: readonly string[]): void {
  room.recent.push(...ids);
  room.recent.splice(0, Math.max(0, room.recent.length - 200));
}

async function show(who: Person, room: Room): Promise<void> {
  const [page] = await Promise.all([
    call<Page>(who, 'GET', `${room.path}/messages?limit=${PAGE}`),
    call(who, 'GET', `${room.path}/draft`),
    call(who, 'POST', `${room.path}/read`, {}),
  ]);
  who.room = room;
  who.cursor = page.cursor;
  remember(
    room,
    page.items.slice(-5).map(({ id }) => id),
  );
}

async function switchChannel(who: Person): Promise<void> {
  const room = oneOf(who.rooms);
  await Promise.all([show(who, room), call(who, 'GET', room.path)]);
}

async function scrollChannel(who: Person): Promise<void> {
  const { path } = here(who);
  const older = who.cursor === null ? '' : `&cursor=${encodeURIComponent(who.cursor)}`;
  who.cursor = (await call<Page>(who, 'GET', `${path}/messages?limit=${PAGE}${older}`)).cursor;
}

async function unreadCheck(who: Person): Promise<void> {
  await Promise.all(
    ['/api/conversations', '/api/groups', '/api/channels/joined'].map(async (path) => await call(who, 'GET', path)),
  );
}

async function createPost(who: Person): Promise<void> {
  const room = here(who);
  await call(who, 'POST', `${room.path}/typing`, {});
  const replied = random() < REPLIES && room.recent.length > 0 ? { replyToMessageId: oneOf(room.recent) } : {};
  const body = { content: text(), ...replied };
  const { id } = await call<{ id: string }>(who, 'POST', `${room.path}/messages`, body);
  remember(room, [id]);
  who.own.push({ room, id });
}

async function openDirect(who: Person): Promise<void> {
  const other = oneOf(people.filter((one) => one !== who));
  const sent = { recipientId: other.id, content: text() };
  const { conversationId } = await call<{ conversationId: string }>(who, 'POST', '/api/conversations', sent);
  const path = `/api/conversations/${conversationId}`;
  await Promise.all([call(who, 'GET', `${path}/messages?limit=${PAGE}`), call(who, 'POST', `${path}/read`, {})]);
}

/** There, the threads of a team that somebody follows; here, those of a conversation. */
async function viewThreads(who: Person): Promise<void> {
  const { path, threads } = here(who);
  const { items } = await call<{ items: { threadId: string }[] }>(
    who,
    'GET',
    `${path}/threads?following=true&limit=25`,
  );
  threads.push(...items.map(({ threadId }) => threadId).filter((id) => !threads.includes(id)));
}

/** One that somebody has seen in a list. A message without answers is a thread of its own. */
function threadOf(who: Person): string | undefined {
  const { path, threads, recent } = here(who);
  const known = threads.length > 0 ? threads : recent;
  return known.length === 0 ? undefined : `${path}/threads/${oneOf(known)}`;
}

async function viewThread(who: Person): Promise<void> {
  const path = threadOf(who);
  if (path !== undefined) await call(who, 'GET', `${path}?limit=${PAGE}`);
}

async function readThread(who: Person): Promise<void> {
  const path = threadOf(who);
  if (path !== undefined) await call(who, 'POST', `${path}/read`, {});
}

async function permalink(who: Person): Promise<void> {
  const room = oneOf(who.rooms);
  const around = room.recent.length === 0 ? '' : `&around=${oneOf(room.recent)}`;
  await call(who, 'GET', `${room.path}/messages?limit=${PAGE}${around}`);
}

async function addReaction(who: Person): Promise<void> {
  const room = here(who);
  if (room.recent.length === 0) return;
  await call(who, 'POST', `${room.path}/messages/${oneOf(room.recent)}/reactions`, {
    emoji: oneOf(['👍', '🎉', '🍵']),
  });
}

async function editPost(who: Person): Promise<void> {
  if (who.own.length === 0) await createPost(who);
  const { room, id } = oneOf(who.own);
  await call(who, 'PUT', `${room.path}/messages/${id}`, { content: text() });
}

async function connect(who: Person): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  who.socket = socket;
  const topics = [`inbox:${who.id}`, ...who.rooms.map(({ id }) => `conversation:${id}`)];
  const known = Object.fromEntries(
    topics.flatMap((topic) => (who.heard.has(topic) ? [[topic, who.heard.get(topic)]] : [])),
  );
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'auth', token: who.token })));
    socket.addEventListener('close', () => reject(new Error('a socket was closed')));
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data)) as { type: string; topic?: string; seq?: number; positions?: object };
      if (frame.type === 'ready')
        socket.send(
          JSON.stringify(
            Object.keys(known).length === 0 ? { type: 'subscribe', topics } : { type: 'resume', topics: known },
          ),
        );
      else if (frame.type === 'subscribed') {
        for (const [topic, seq] of Object.entries(frame.positions ?? {})) who.heard.set(topic, seq as number);
        resolve();
      } else if (frame.type === 'error') throw new Error(`a frame was refused: ${String(data)}`);
      else {
        events += 1;
        if (frame.topic !== undefined && frame.seq !== undefined) who.heard.set(frame.topic, frame.seq);
      }
    });
  });
}

async function reconnect(who: Person): Promise<void> {
  who.socket?.close();
  await connect(who);
}

async function openPeople(): Promise<Person[]> {
  const all: Person[] = [];
  while (all.length < members) {
    const more = Array.from({ length: Math.min(4, members - all.length) }, (_, at) => all.length + at);
    const registered = await Promise.all(more.map(async (at) => await registerMember(port, at)));
    for (const { id, token } of registered)
      all.push({ id, token, rooms: [], room: undefined, cursor: null, own: [], socket: undefined, heard: new Map() });
  }
  for (let at = 0; at < CHANNELS; at += 1)
    await openRoom(
      'channels',
      at,
      all.slice(at).filter((_, index) => index % 2 === 0),
    );
  for (let at = 0; at + 1 < members; at += GROUP_MEMBERS)
    await openRoom('groups', at, all.slice(at, at + GROUP_MEMBERS));
  for (const who of all) {
    await connect(who);
    await show(who, oneOf(who.rooms));
  }
  return all;
}

async function openRoom(kind: 'channels' | 'groups', at: number, these: readonly Person[]): Promise<void> {
  const [owner, ...others] = these;
  if (owner === undefined) return;
  const memberIds = others.map(({ id }) => id);
  const about =
    kind === 'channels' ? { name: `channel-${at}`, visibility: 'public' } : { name: `Group ${at}`, memberIds };
  const { id } = await call<{ id: string }>(owner, 'POST', `/api/${kind}`, about);
  const room: Room = { path: `/api/${kind}/${id}`, id, recent: [], threads: [] };
  const added = kind === 'channels' ? memberIds : [];
  for (let from = 0; from < added.length; from += GROUP_MEMBERS)
    await call(owner, 'POST', `${room.path}/members`, { memberIds: added.slice(from, from + GROUP_MEMBERS) });
  for (const who of these) who.rooms.push(room);
  for (let sent = 0; sent < history; sent += 1) {
    const { id: messageId } = await call<{ id: string }>(oneOf(these), 'POST', `${room.path}/messages`, {
      content: text(),
    });
    remember(room, [messageId]);
  }
}

/** Does one thing after another, with rests between them as people have. */
async function live(who: Person): Promise<void> {
  const all = kinds();
  const sum = all.reduce((before, { weight }) => before + weight, 0);
  await sleep(below(idle));
  while (performance.now() < end) {
    let drawn = random() * sum;
    const kind = all.find(({ weight }) => (drawn -= weight) < 0) ?? all[0];
    if (kind === undefined) return;
    const began = performance.now();
    await kind.act(who);
    const times = took.get(kind.name) ?? [];
    took.set(kind.name, times);
    times.push(performance.now() - began);
    await sleep(-Math.log(1 - random()) * idle);
  }
}
