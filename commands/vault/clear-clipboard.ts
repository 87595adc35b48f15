import { text } from 'node:stream/consumers';
import { ConclaveCommand } from '../../src/cli/kit/command.ts';
import { clearLater } from '../../src/cli/passvault/clipboard/clipboard-clearing.ts';

/** What `vault copy` leaves behind: it outlives the terminal, and knows a hash of what was copied. */
export default class ClearClipboard extends ConclaveCommand {
  static override hidden = true;
  static override summary = 'Clear the clipboard later, for conclave vault copy';
  static override examples = ['<%= config.bin %> vault clear-clipboard < clearing.json'];

  async run(): Promise<void> {
    await this.parse(ClearClipboard);
    process.on('SIGHUP', () => {});
    const cleared = await clearLater(await text(this.terminal.stdin), this.terminal.env);
    await this.answer({ cleared }, () => '');
  }
}
