import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { programPath } from '../../support/program.ts';
import { reservePort } from '../../support/reserved-ports.ts';
import { parseDocument, root, typedIn } from '../documents.ts';
import { steady } from './steady.ts';
import { openTerminal, type Answers, type Person, type Screen } from './terminal.ts';

export interface Step {
  readonly answers?: Answers;
  /** its exit code; 0 unless said otherwise */
  readonly ends?: number;
  /** what the guide has in place of something that only the machine knows, such as an id, and what is typed instead */
  readonly for?: Readonly<Record<string, string>>;
  /** what is random in its answer, and what is kept instead */
  readonly random?: readonly (readonly [found: RegExp, instead: string])[];
  /** what the guide leaves to whoever types it, after what it has */
  readonly and?: string;
  /** who types it, where it is not the reader */
  readonly by?: Traveller;
}

/** Somebody on the tour, with a home of their own. */
export interface Traveller {
  readonly name: string;
  readonly home: string;
  readonly terminal: Person;
}

/** The commands of a guide in their order, which a test runs word for word. */
export interface Tour extends AsyncDisposable {
  readonly reader: Traveller;
  readonly url: string;
  /** Begins a node in the reader's home, as docs/self-hosting.md does, and serves it in another terminal of the reader. @returns the recovery phrase */
  startNode(): Promise<string>;
  /** Stops the server, and serves with further variables. @param between what happens while it is stopped */
  serveAgain(env: Readonly<Record<string, string>>, between?: () => Promise<unknown>): Promise<void>;
  /** Somebody else, who knows nothing of the reader's node. @param home the folder of somebody, for another terminal of theirs */
  openHome(name: string, env?: Readonly<Record<string, string>>, home?: string): Promise<Traveller>;
  /** Somebody else, who registers over HTTP at the reader's node. Their password is in a variable, so that nothing is asked. */
  invite(name: string): Promise<Traveller>;
  /** Runs the next command of the guide. @returns what it showed */
  run(line: string, step?: Step): Promise<string>;
  /** Begins the next command of the guide, which goes on until somebody stops it. */
  begin(line: string, until: string, step?: Step): Promise<void>;
  /** What a command that was begun shows when it has ended. */
  ends(by?: Traveller, step?: Step): Promise<string>;
  /** Runs a command that the guide names in its text, between backticks. @returns what it showed */
  runNamed(named: string, step?: Step): Promise<string>;
  /** Keeps what stands on a terminal meanwhile, such as a screen that the guide shows. */
  keep(who: Traveller, screen: Screen, random?: Step['random']): void;
  /** Says why the next command of the guide can't run here. */
  skip(line: string, reason: string): void;
  /** Does something that the guide tells in words, or takes for granted. */
  meanwhile(by: Traveller, line: string, answers?: Answers): Promise<string>;
  /** Fails where the guide has more, or where the screens are not those that are kept. */
  finish(): Promise<void>;
}

/** The screens are written anew instead of compared. */
const renews = (process.env['CONCLAVE_TEST_RENEW'] ?? '') !== '';

/**
 * @param path of the guide
 * @param user who reads it
 * @param env further variables of the reader, for what this machine lacks
 */
export async function openTour(
  path: string,
  { user = 'ada', env = {} }: { readonly user?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Tour> {
  const guide = parseDocument(path, await readFile(join(root, path), 'utf8'));
  const lines = guide.blocks
    .filter(({ language }) => ['', 'sh'].includes(language))
    .flatMap(typedIn)
    .filter(isCommand);
  // Its length decides where lines end on the screen.
  const folder = await mkdtemp('/tmp/home-');
  const programs = join(folder, 'programs');
  await mkdir(programs);
  await symlink(programPath, join(programs, 'conclave'));
  // A clipboard, which a machine without a screen has none of.
  await writeFile(
    join(programs, 'xclip'),
    `#!/bin/sh\ncase $* in *-out*) cat "$HOME/.clip" ;; *) cat > "$HOME/.clip" ;; esac\n`,
    {
      mode: 0o755,
    },
  );
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const travellers: Traveller[] = [];
  const kept: string[] = [];

  async function travel(
    name: string,
    more: Readonly<Record<string, string>>,
    home = join(folder, name),
  ): Promise<Traveller> {
    for (const part of ['', '.runtime', '.tmp']) await mkdir(join(home, part), { mode: 0o700, recursive: true });
    const place = join(folder, `terminal-${name}`);
    await mkdir(place);
    const terminal = await openTerminal(place, home, {
      HOME: home,
      PATH: [programs, process.env['PATH']].join(':'),
      TMPDIR: join(home, '.tmp'),
      XDG_RUNTIME_DIR: join(home, '.runtime'),
      GIT_CONFIG_NOSYSTEM: '1',
      DISPLAY: ':0',
      // It would look for a newer npm.
      npm_config_update_notifier: 'false',
      ...more,
    });
    const traveller = { name, home, terminal };
    travellers.push(traveller);
    return traveller;
  }

  const variables = { CONCLAVE_PORT: String(port), ...env };
  const reader = await travel(user, variables);
  let serving: Traveller | undefined;
  const serve = async (more: Readonly<Record<string, string>>): Promise<void> => {
    serving ??= await travel('server', variables, reader.home);
    const set = Object.entries(more).map(([name, value]) => `${name}=${value} `);
    await serving.terminal.begin(`${set.join('')}conclave serve`, `Conclave serves ${url}`);
  };
  const meanwhile: Tour['meanwhile'] = async (by, line, answers) => {
    const { text, exitCode } = await by.terminal.type(line, answers);
    expect(exitCode, `the exit code of ${line}, which showed:\n${text}\n`).toBe(0);
    return answerOf(text);
  };

  const next = (line: string): void => {
    expect(lines.shift(), `the next command of ${path}`).toBe(line);
  };
  const typed = (line: string, { for: places = {}, and = '' }: Step): string => {
    let words = line;
    for (const [place, value] of Object.entries(places)) {
      expect(words).toContain(place);
      words = words.replaceAll(place, value);
    }
    return words + and;
  };
  const keep: Tour['keep'] = (who, { text }, random = []) =>
    void kept.push(`[${who.name}] ${random.reduce((left, [found, instead]) => left.replace(found, instead), text)}`);
  const done = (who: Traveller, line: string, screen: Screen, { ends = 0, random }: Step): string => {
    const { text, exitCode } = screen;
    keep(who, screen, random);
    expect(exitCode, `the exit code of ${line}, which showed:\n${text}\n`).toBe(ends);
    return answerOf(text);
  };

  return {
    reader,
    url,
    async startNode() {
      const shown = await meanwhile(reader, 'conclave init', [
        ['Username', user],
        ['E-mail address', `${user}@example.org`],
        ['? Password', passwordOf(user)],
        ['Password, again', passwordOf(user)],
      ]);
      await serve({});
      const phrase = [...shown.matchAll(/^ {2}([a-z ]+)$/gm)].map(([, words = '']) => words).join(' ');
      expect(phrase.split(' ')).toHaveLength(24);
      return phrase;
    },
    async serveAgain(more, between) {
      await serving?.terminal.press('C-c');
      await serving?.terminal.ends();
      await between?.();
      await serve(more);
    },
    openHome: async (name, more = {}, home?: string) => await travel(name, more, home),
    async invite(name) {
      const password = passwordOf(name);
      const guest = await travel(name, {
        CONCLAVE_SERVER: url,
        CONCLAVE_PASSWORD: password,
        CONCLAVE_MASTER_PASSWORD: password,
      });
      await meanwhile(guest, `conclave account register --username ${name} --email ${name}@example.org`);
      return guest;
    },
    async run(line, step = {}) {
      const { by = reader, answers } = step;
      next(line);
      return done(by, line, await by.terminal.type(typed(line, step), answers), step);
    },
    async begin(line, until, step = {}) {
      const { by = reader } = step;
      next(line);
      await by.terminal.begin(typed(line, step), until);
    },
    async ends(by = reader, step = {}) {
      return done(by, 'what was begun', await by.terminal.ends(), step);
    },
    async runNamed(named, step = {}) {
      const { by = reader, answers } = step;
      expect(guide.spans, `what ${path} names`).toContain(named);
      return done(by, named, await by.terminal.type(typed(named, step), answers), step);
    },
    keep,
    skip(line, reason) {
      next(line);
      kept.push(`[not run] $ ${line}\n${reason}`);
    },
    meanwhile,
    async finish() {
      expect(lines, `what else ${path} has`).toEqual([]);
      const file = join(root, 'test/fixtures/tours', path.replace(/^docs\//, '').replace(/md$/, 'txt'));
      const text = `${kept.map((each) => steady(each)).join('\n\n')}\n`;
      if (renews) await writeFile(file, text);
      expect(text).toBe(await readFile(file, 'utf8'));
    },
    async [Symbol.asyncDispose]() {
      if (serving !== undefined) await serving.terminal.press('C-c');
      for (const { terminal } of travellers.toReversed()) await terminal[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

export function passwordOf(name: string): string {
  return `a lighthouse of ${name} hums at dawn`;
}

function isCommand(line: string): boolean {
  return line.trim() !== '' && !line.startsWith('#');
}

/** What stands below the line that was typed, which the terminal breaks at its width. */
function answerOf(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => line.length < 80);
  return lines.slice(end + 1).join('\n');
}
