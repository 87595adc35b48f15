import { Command, Errors, Flags } from '@oclif/core';
import type { StoreChoice } from '../../client/offline.ts';
import type { Client, ClientOptions } from '../../client/client.ts';
import type { InferInput } from 'valibot';
import { Problem } from '../../base/problem.ts';
import { escapedJson, escapeLinesForTerminal } from './escape-for-terminal.ts';
import { inputFor, type Form, type InputOptions } from './input.ts';
import { page } from './pager.ts';
import { reportProblem } from './problem-report.ts';
import { measured } from './display-width.ts';
import { screenOf, type Screen, type Unmeasured } from './screen.ts';
import { paintFor, widthOf, processTerminal, type Terminal } from './terminal.ts';
import { wrapSaid } from './wrap-words.ts';
import { waitFor, type Work } from './waiting.ts';

const global = { helpGroup: 'GLOBAL' };

const jsonFlag = {
  json: Flags.boolean({ ...global, description: 'print JSON; errors become JSON on standard error' }),
};

const localFlags = {
  ...jsonFlag,
  'data-dir': Flags.string({ ...global, description: 'data directory (CONCLAVE_DATA_DIR)', helpValue: 'DIR' }),
  config: Flags.string({ ...global, description: 'configuration file (CONCLAVE_CONFIG)', helpValue: 'FILE' }),
};

const connectionFlags = {
  ...localFlags,
  server: Flags.string({
    ...global,
    description:
      'address of a server (CONCLAVE_SERVER); without it, the one chosen with conclave server use, or this machine',
    helpValue: 'URL',
    exclusive: ['data-dir', 'config'],
  }),
  ca: Flags.string({
    ...global,
    description: "certificate file, or sha256:FINGERPRINT of the server's certificate (CONCLAVE_CA)",
    helpValue: 'FILE',
    dependsOn: ['server'],
  }),
};

export type ConnectionFlags = Partial<
  Record<'server' | 'data-dir' | 'config' | 'ca' | 'database', string | undefined> & { readonly trust: boolean }
>;

/** The base of all commands: the connection to the API, the output of answers, and the report of problems. */
export abstract class ConclaveCommand extends Command {
  static override baseFlags = jsonFlag;

  /** replaced by tests */
  terminal: Terminal = processTerminal();

  /** Whether the command works only on this machine and ignores the server that other commands use. */
  protected readonly here: boolean = false;

  private client: Client | undefined;

  /** The screen for answers, or for messages on stderr, with the time zone of the account, or of this machine. */
  protected async screen(stdout: Terminal['stdout'] = this.terminal.stdout): Promise<Unmeasured> {
    const terminal = { ...this.terminal, stdout };
    if (stdout.isTTY !== true) return screenOf(terminal);
    // If the sign-in cannot be read, the operation has failed already or needed no sign-in.
    return screenOf(terminal, await this.client?.timezone().catch(() => undefined));
  }

  override async init(): Promise<void> {
    await super.init();
    // Otherwise oclif takes standard input for an argument that is missing, such as the lines of the loop that a command runs in.
    for (const argument of Object.values(this.ctor.args)) argument.ignoreStdin = true;
    refuseSecretArguments(this.argv, Object.keys({ ...this.ctor.baseFlags, ...this.ctor.flags }));
  }

  protected async connect(flags: ConnectionFlags, options: Pick<ClientOptions, 'create'> = {}): Promise<Client> {
    // Loaded here, because socket code takes a tenth of the load time of a command and many commands need none.
    const { openClient } = await import('../../client/client.ts');
    const client = await openClient({
      server: flags.server,
      dataDir: flags['data-dir'],
      config: flags.config,
      ca: flags.ca,
      trust: flags.trust,
      say: (text) => this.say(text),
      database: flags.database,
      env: this.terminal.env,
      userAgent: `conclave/${this.config.version} (${process.platform})`,
      command: `conclave ${this.words}`,
      here: this.here,
      ...options,
    });
    this.client = client;
    if (client.connection.exposed)
      this.warnOf(`${client.place} is not encrypted: others can read passwords and tokens on the network.`);
    return client;
  }

  /** As `connect`, for a command that runs until somebody ends it, and must not keep others from the store. */
  protected async connectToWatch(flags: ConnectionFlags): Promise<Client> {
    const { briefClient } = await import('../../client/brief-client.ts');
    return await briefClient(async () => await this.connect(flags));
  }

  protected async inputFor<F extends Form>(
    form: F,
    flags: Readonly<Record<string, unknown>>,
    options?: InputOptions,
  ): Promise<InferInput<F['input']>> {
    return await inputFor(this.terminal, form, flags, options);
  }

  protected async waitFor<T>(text: string, work: Work<T>): Promise<T> {
    return await waitFor(this.terminal, text, work);
  }

  /** Prints the answer to stdout: `data` as JSON with `--json`, otherwise the text from `draw`. */
  protected async answer(data: unknown, draw: (screen: Screen) => string): Promise<void> {
    const text = this.wantsJson ? escapedJson(data) : await this.drawn(draw);
    if (text !== '') await page(this.terminal, `${text}\n`);
  }

  /** The text of an answer from `draw`. */
  protected async drawn(draw: (screen: Screen) => string): Promise<string> {
    const screen = await this.screen();
    return await measured((measure) => draw({ ...screen, measure }));
  }

  /** Prints a message to stderr. */
  protected say(text: string): void {
    const { stderr } = this.terminal;
    stderr.write(`${wrapSaid(escapeLinesForTerminal(text), widthOf(stderr))}\n`);
  }

  protected warnOf(text: string): void {
    const { stderr, env } = this.terminal;
    const said = wrapSaid(`Warning: ${escapeLinesForTerminal(text)}`, widthOf(stderr));
    stderr.write(`${said.replace('Warning:', (label) => paintFor(stderr, env)('yellow', label))}\n`);
  }

  protected override async catch(error: Error): Promise<never> {
    if (error instanceof Errors.ExitError) throw error;
    const server = this.argv[this.argv.indexOf('--server') + 1];
    const code = reportProblem(this.terminal, error, {
      json: this.wantsJson,
      command: this.words,
      flags: Object.keys({ ...this.ctor.baseFlags, ...this.ctor.flags }),
      args: Object.keys(this.ctor.args),
      server: this.argv.includes('--server') ? server : undefined,
    });
    throw new Errors.ExitError(code);
  }

  private get words(): string {
    return (this.id ?? '').replaceAll(':', ' ');
  }

  protected get wantsJson(): boolean {
    const end = this.argv.indexOf('--');
    return (end === -1 ? this.argv : this.argv.slice(0, end)).includes('--json');
  }
}

/** A command that works only on this machine. */
export abstract class LocalCommand extends ConclaveCommand {
  static override baseFlags = localFlags;

  protected override readonly here: boolean = true;

  /** the store that flags and variables name, for work that is not an operation of the API */
  protected storeOf(flags: ConnectionFlags): StoreChoice {
    return { dataDir: flags['data-dir'], config: flags.config, database: flags.database, env: this.terminal.env };
  }
}

/** A command that performs operations on a local or remote server. */
export abstract class ApiCommand extends LocalCommand {
  static override baseFlags = connectionFlags;

  protected override readonly here: boolean = false;
}

/** Refuses secrets as arguments, because arguments are visible in the shell's history and in the process list. */
function refuseSecretArguments(argv: readonly string[], flags: readonly string[]): void {
  for (const word of argv) {
    if (word === '--') return;
    const name = /^--([a-z-]+)(?:=|$)/.exec(word)?.[1];
    if (name === undefined || flags.includes(name) || !flags.includes(`${name}-file`)) continue;
    const message = `Secrets are not accepted as arguments. Use --${name}-file, a variable, or the prompt on a terminal.`;
    throw new Problem('invalid', 'SECRET_AS_ARGUMENT', message);
  }
}
