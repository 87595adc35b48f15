import { text } from 'node:stream/consumers';
import { ConclaveCommand } from '../../src/cli/kit/command.ts';
import { clearLater } from '../../src/cli/passvault/clipboard/clipboard-clearing.ts';

/** The background process of `vault copy`. It runs longer than the terminal, and knows only a hash of the copied text. */
export default class ClearClipboard extends ConclaveCommand {
  static override hidden = true;
  static override summary = 'Clear the clipboard later (used by conclave vault copy)';
  static override examples = ['<%= config.bin %> vault clear-clipboard < clearing.json'];

  async run(): Promise<void> {
    await this.parse(ClearClipboard);
    process.on('SIGHUP', () => {});
    const cleared = await clearLater(await text(this.terminal.stdin), this.terminal.env);
    await this.answer({ cleared }, () => '');
  }
}
