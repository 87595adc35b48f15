import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import type { Place, Wires } from './wires.ts';

/** Any port: each machine has an address of its own. */
const port = 7879;

interface Machine {
  /** keeps the namespace while no process of the machine runs */
  readonly keeper: ChildProcess;
  /** the end of its cable at the switches */
  readonly cable: string;
}

/** Starts a program that says `ready` and then lives until its input ends, with this process at the latest. */
async function keep(words: readonly string[]): Promise<ChildProcess | undefined> {
  const [command = '', ...parameters] = words;
  const keeper = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'ignore'] });
  const failed = once(keeper, 'error').then(() => undefined);
  const lines = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  const said = await Promise.race([lines.next(), failed]);
  return said?.done === false ? keeper : undefined;
}

async function end(keeper: ChildProcess): Promise<void> {
  const ended = once(keeper, 'exit');
  keeper.kill('SIGKILL');
  await ended;
}

/**
 * Machines with networks of their own (namespaces of Linux), joined by cables and switches (veth, bridges). Parting moves cables to other
 * switches: connections are not closed, nothing arrives any more, as when a real network fails.
 * @returns undefined where the system does not allow it
 */
export async function openNamespaces(): Promise<Wires | undefined> {
  const hub = await keep([
    'unshare',
    '--map-root-user',
    '--net',
    '--',
    'sh',
    '-c',
    'ip link add side0 type bridge && ip link set side0 up && echo ready && exec cat',
  ]);
  if (hub === undefined) return undefined;
  const into = (...more: readonly string[]): string[] => [
    'nsenter',
    '--target',
    String(hub.pid),
    '--user',
    '--preserve-credentials',
    ...more,
  ];
  const inHub = async (script: string): Promise<void> => {
    const [command = '', ...words] = into('--net', 'sh', '-ec', script);
    await execa(command, words);
  };
  const machines = new Map<string, Machine>();
  let switches = 1;
  let places = 0;

  async function place(name: string): Promise<Place> {
    const number = (places += 1);
    const keeper = await keep([...into('unshare', '--net', '--', 'sh', '-c', 'echo ready; exec cat')]);
    if (keeper === undefined) throw new Error(`no network for ${name}`);
    const cable = `cable${number}`;
    machines.set(name, { keeper, cable });
    const address = `10.77.0.${number}`;
    const prefix = ['nsenter', '--target', String(keeper.pid), '--user', '--net', '--preserve-credentials'];
    await inHub(
      `ip link add ${cable} type veth peer name eth0 netns ${keeper.pid}; ip link set ${cable} master side0 up`,
    );
    const [command = '', ...words] = prefix;
    const up = `ip link set lo up; ip addr add ${address}/24 dev eth0; ip link set eth0 up`;
    await execa(command, [...words, 'sh', '-ec', up]);
    return { listen: `${address}:${port}`, address: `${address}:${port}`, prefix };
  }

  return {
    kind: 'namespaces',
    place,
    know: () => undefined,
    async part(...groups) {
      const moves = [...machines].map(([name, { cable }]) => {
        const side = groups.findIndex((group) => group.includes(name));
        return `ip link set ${cable} ${side === -1 ? 'nomaster' : `master side${side}`}`;
      });
      const missing = groups.slice(switches).map((_, at) => `side${switches + at}`);
      switches += missing.length;
      const made = missing.map((side) => `ip link add ${side} type bridge; ip link set ${side} up`);
      await inHub([...made, ...moves].join('\n'));
    },
    async mend() {
      await inHub([...machines.values()].map(({ cable }) => `ip link set ${cable} master side0`).join('\n'));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...machines.values()].map(({ keeper }) => end(keeper)));
      await end(hub);
    },
  };
}
