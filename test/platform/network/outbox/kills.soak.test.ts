import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { bundle } from '../../../support/bundle.ts';
import { testRandom } from '../../../support/seeded.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../../../support/stores.ts';
import { inStage, rounds } from '../../../support/stage.ts';
import { reservePort } from '../../../support/reserved-ports.ts';
import { slowly, someMoment } from '../../../support/real-time.ts';

const TOTAL = inStage(0, 100, 500);
const KILLS = rounds(8, 60);

interface Report {
  readonly sent: string[];
  readonly handled: string[];
  readonly noted: string[];
  readonly waiting: number;
}

/** A node in a process that can be killed at any moment and started again. */
function killable(program: string, setup: object) {
  let child: ChildProcess | undefined;
  let lines: string[] = [];
  let heard: (() => void)[] = [];
  let errors = '';

  /** a line that it says from now on, or undefined when it ended */
  async function line(is: (text: string) => boolean): Promise<string | undefined> {
    for (let at = 0; ; at += 1) {
      while (at >= lines.length) {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) return undefined;
        await new Promise<void>((resolve) => void heard.push(resolve));
      }
      const text = lines[at] ?? '';
      if (is(text)) return text;
    }
  }

  function wake(): void {
    for (const each of heard.splice(0)) each();
  }

  return {
    start() {
      lines = [];
      heard = [];
      const started = spawn(process.execPath, [program, JSON.stringify(setup)], {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: { ...process.env, NODE_NO_WARNINGS: '1', NODE_EXTRA_CA_CERTS: '' },
      });
      child = started;
      started.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()));
      started.on('exit', (code) => {
        if (code !== null) errors += `ended with ${code}`;
        wake();
      });
      createInterface({ input: started.stdout }).on('line', (text) => {
        if (started !== child) return;
        lines.push(text);
        wake();
      });
    },
    /** it handled a message, or noted an outcome */
    works: async () => await line((text) => text === '+'),
    async kill() {
      if (child === undefined) return;
      // One that has ended by itself says so in its errors, and ends no second time.
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      child = undefined;
    },
    async report(): Promise<Report> {
      await line((text) => text === 'ready');
      lines = [];
      child?.stdin?.write('report\n');
      const said = await line((text) => text.startsWith('{'));
      if (said === undefined) throw new Error(`a node ended: ${errors}`);
      lines = ['ready'];
      return JSON.parse(said) as Report;
    },
    errors: () => errors,
  };
}

describe.each(bothEngines)('two nodes on %s that are killed while they send to each other', (engine) => {
  it(`handle ${2 * TOTAL} messages exactly once and in order through ${KILLS} kills`, async () => {
    const random = testRandom();
    await using program = await bundle('test/platform/network/outbox/outbox-process.ts');
    await using folders = await places(engine);
    const secrets = [0, 1].map(() => toHex(randomBytes(32)));
    const ports = [await reservePort(), await reservePort()];
    const nodes = [0, 1].map((at) =>
      killable(program.path, {
        ...folders.places[at],
        secret: secrets[at],
        other: { secret: secrets[1 - at], address: `/ip4/127.0.0.1/tcp/${ports[1 - at]}` },
        listen: `/ip4/127.0.0.1/tcp/${ports[at]}`,
        total: TOTAL,
        eachLife: Math.ceil((2 * TOTAL) / KILLS) + 3,
      }),
    ) as [ReturnType<typeof killable>, ReturnType<typeof killable>];
    try {
      for (const node of nodes) node.start();
      for (let killed = 0; killed < KILLS; killed += 1) {
        const victim = nodes[random() < 0.5 ? 0 : 1];
        // Most are killed just when messages come and go, some while they start.
        if (random() < 0.8) await Promise.race([victim.works(), someMoment(4_000)]);
        await someMoment(random() * 60);
        await victim.kill();
        expect(victim.errors()).toBe('');
        victim.start();
      }
      const isDone = async () => {
        const reports = await Promise.all(nodes.map(async (node) => await node.report()));
        return reports.every(({ sent, waiting }) => sent.length === TOTAL && waiting === 0);
      };
      for (let lives = 0; !(await isDone()); lives += 1) {
        expect(lives, 'the messages are never all sent').toBeLessThan(600);
        await slowly(200);
        // Each life sends only some of the messages.
        for (const node of nodes) {
          const { sent, waiting } = await node.report();
          if (sent.length === TOTAL || waiting > 0) continue;
          await node.kill();
          node.start();
        }
      }
      const reports = await Promise.all(nodes.map(async (node) => await node.report()));
      for (const [at, { sent, noted }] of reports.entries()) {
        const { handled } = reports[1 - at] as Report;
        expect(sent).toHaveLength(TOTAL);
        const isRefused = (what: string) => Number(what.split(' ')[1]) % 50 === 7;
        for (const channel of ['one', 'two']) {
          const of = (all: readonly string[]) => all.filter((what) => what.startsWith(channel));
          expect(of(handled)).toEqual(of(sent).filter((what) => !isRefused(what)));
          expect(of(noted)).toEqual(of(sent).map((what) => `${what} ${isRefused(what) ? 'refused' : 'acknowledged'}`));
        }
      }
    } finally {
      for (const node of nodes) await node.kill();
    }
  }, 1_800_000);
});

/** A store for each of the two. */
async function places(engine: (typeof bothEngines)[number]) {
  const folders = [await temporaryFolder(), await temporaryFolder()];
  const databases =
    engine === 'sqljs'
      ? []
      : [await createPostgresDatabase({ migrated: true }), await createPostgresDatabase({ migrated: true })];
  return {
    places: folders.map(({ path }, at) => ({ dataDir: path, url: databases[at]?.url })),
    async [Symbol.asyncDispose]() {
      for (const one of [...databases, ...folders]) await one[Symbol.asyncDispose]();
    },
  };
}
