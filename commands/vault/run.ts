import { Flags } from '@oclif/core';
import { runChild } from '../../src/cli/passvault/run/child-process.ts';
import { assignmentsFrom, resolvedVariables } from '../../src/cli/passvault/run/run-secrets.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { Problem } from '../../src/problem.ts';

export default class Run extends VaultCommand {
  static override summary = 'Run a program with secrets in its environment';
  static override description = `References conclave://vault/entry/field stand in files of lines NAME=value, in --env, or in variables that are set already; a value may hold some in braces: postgres://app:{{ conclave://Work/db/password }}@host/db. The secrets go into the environment of the program and nowhere else, and are masked where it prints them. Of our own variables, CONCLAVE_…, the program gets none that --env or --env-file don't name. Signals go to the program, and its exit code is this command's.
Masking needs the program's output to pass through here, so it sees no terminal; --no-masking gives it yours.`;
  static override usage = 'vault run [--env-file FILE]... [--env NAME=REF]... [--no-masking] -- COMMAND [ARGUMENT]...';
  static override examples = [
    '<%= config.bin %> vault run --env-file .env -- npm start',
    '<%= config.bin %> vault run --env TOKEN=conclave://Work/GitHub/token -- sh -c \'curl -H "Authorization: $TOKEN" …\'',
  ];
  static override strict = false;
  static override flags = {
    'env-file': Flags.string({
      description: 'file of lines NAME=value; again for more',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'FILE',
    }),
    env: Flags.string({
      description: 'NAME=reference; again for more',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=REF',
    }),
    masking: Flags.boolean({ description: 'mask secrets in the output of the program', default: true, allowNo: true }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Run);
    const [command, ...args] = argv as string[];
    if (command === undefined) throw new Problem('invalid', 'USAGE', 'Name the program that is to run, after --.');
    const { values, secrets, unmasked } = await this.secrets(flags);
    if (flags.masking && unmasked.length > 0) this.warnOf(`Too short to be masked: ${unmasked.join(', ')}.`);
    this.exit(
      await runChild(this.terminal, { command, args, variables: values, mask: flags.masking ? secrets : undefined }),
    );
  }

  /** The store is closed again before the program runs, which may take all day. */
  private async secrets(
    flags: Parameters<Run['session']>[0] & { env?: string[] | undefined; 'env-file'?: string[] | undefined },
  ) {
    const assignments = await assignmentsFrom(flags['env-file'] ?? [], flags.env ?? []);
    await using session = await this.session(flags);
    return await resolvedVariables(session, assignments);
  }
}
