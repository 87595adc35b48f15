import { Flags } from '@oclif/core';
import { runChild } from '../../src/cli/passvault/run/child-process.ts';
import { assignmentsFrom, resolvedVariables } from '../../src/cli/passvault/run/run-secrets.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Run extends VaultCommand {
  static override summary = 'Run a program with secrets in its environment';
  static override description = `Put references conclave://vault/entry/field into a file of lines NAME=value, into --env, or into variables that are set already. A value may contain references in braces: postgres://app:{{ conclave://Work/db/password }}@host/db. The secrets go only into the environment of the program, and are masked in its output. The program gets no variable CONCLAVE_… unless --env or --env-file names it. Signals go to the program, and its exit code becomes the exit code of this command.
Because of masking, the program has no terminal. Use --no-masking to give it yours.`;
  static override usage = 'vault run [--env-file FILE]... [--env NAME=REF]... [--no-masking] -- COMMAND [ARGUMENT]...';
  static override examples = [
    '<%= config.bin %> vault run --env-file .env -- npm start',
    '<%= config.bin %> vault run --env TOKEN=conclave://Work/GitHub/token -- sh -c \'curl -H "Authorization: $TOKEN" …\'',
  ];
  static override strict = false;
  static override flags = {
    'env-file': Flags.string({
      description: 'file of lines NAME=value; repeat for more',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'FILE',
    }),
    env: Flags.string({
      description: 'NAME=reference; repeat for more',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=REF',
    }),
    masking: Flags.boolean({ description: 'mask secrets in the output of the program', default: true, allowNo: true }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Run);
    const [command, ...args] = argv as string[];
    if (command === undefined)
      throw new Problem('invalid', 'USAGE', 'The program to run is missing. Give it after --.');
    const { values, secrets, unmasked } = await this.secrets(flags);
    if (flags.masking && unmasked.length > 0) this.warnOf(`Not masked, because too short: ${unmasked.join(', ')}.`);
    this.exit(
      await runChild(this.terminal, { command, args, variables: values, mask: flags.masking ? secrets : undefined }),
    );
  }

  /** The program may run all day, so the store is closed before it starts. */
  private async secrets(
    flags: Parameters<Run['session']>[0] & { env?: string[] | undefined; 'env-file'?: string[] | undefined },
  ) {
    const assignments = await assignmentsFrom(flags['env-file'] ?? [], flags.env ?? []);
    await using session = await this.session(flags);
    return await resolvedVariables(session, assignments);
  }
}
