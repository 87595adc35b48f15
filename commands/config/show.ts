import { LocalCommand } from '../../src/cli/kit/command.ts';
import { configFlags } from '../../src/cli/kit/config-flags.ts';
import { table } from '../../src/cli/kit/table.ts';
import { unknownVariables } from '../../src/cli/kit/unknown-variables.ts';

export default class Show extends LocalCommand {
  static override summary = 'Show every setting, its value and its source';
  static override description =
    'Flags override variables, variables override conclave.toml, and conclave.toml overrides defaults. Secrets are not shown. A running server takes over those marked as reloaded when it gets SIGHUP.';
  static override examples = ['<%= config.bin %> config show --data-dir ./data --json'];
  static override flags = configFlags();

  async run(): Promise<void> {
    const { flags } = await this.parse(Show);
    for (const text of await unknownVariables(this.terminal.env)) this.warnOf(text);
    const { loadConfig } = await import('../../src/config/load.ts');
    const { describeConfig } = await import('../../src/config/describe.ts');
    const loaded = await loadConfig({ flags, env: this.terminal.env });
    const settings = describeConfig(loaded);
    await this.answer({ file: loaded.file ?? null, settings }, (screen) =>
      table(screen, settings, [
        { title: 'NAME', of: ({ name }) => name, whole: true },
        { title: 'VALUE', of: ({ value }) => value },
        { title: 'FROM', of: ({ source }) => source },
        { title: 'AT SIGHUP', of: ({ reloads }) => (reloads ? 'reloaded' : '') },
      ]),
    );
  }
}
