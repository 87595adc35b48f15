import type { Client } from '../src/client/client.ts';
import { FileCommand } from '../src/cli/files/file-command.ts';
import { keyFlag } from '../src/cli/accounts/own-key.ts';
import { hasFullScreen } from '../src/cli/kit/terminal.ts';
import { unknownCommand } from '../src/cli/kit/unknown-command.ts';
import { allContainers } from '../src/cli/files/places.ts';
import { containerTable } from '../src/cli/files/container-table.ts';

export default class Files extends FileCommand {
  static override summary = 'Browse your files on the terminal';
  static override description =
    'Arrows go through folders, typing filters, Enter shows a text, Ctrl-G downloads, Ctrl-P stores, Ctrl-L makes a link, and Ctrl-K shows all keys. Without a terminal, the containers are listed.';
  static override examples = ['<%= config.bin %> files'];
  static override strict = false;
  static override flags = keyFlag;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Files);
    if (argv.length > 0) throw unknownCommand(['files', ...(argv as string[])], this.config);
    const { terminal } = this;
    if (!hasFullScreen(terminal) || this.wantsJson) {
      await using client = await this.connect(flags);
      const containers = await allContainers(client);
      await this.answer({ containers }, (screen) => containerTable(screen, containers));
      return;
    }
    const [{ browseFiles }, { withFullScreen }] = await Promise.all([
      import('../src/cli/files/browser/browser.ts'),
      import('../src/cli/kit/full-screen.ts'),
    ]);
    const connect = async () => await this.connect(flags);
    const screen = async () => await this.screen();
    const ciphers = (client: Client) => this.ciphers(client, flags['key-file']);
    await withFullScreen(terminal, { connect, screen }, async (full) => await browseFiles({ ...full, ciphers }));
  }
}
