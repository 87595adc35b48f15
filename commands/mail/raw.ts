import { Flags } from '@oclif/core';
import { buffer } from 'node:stream/consumers';
import { download } from '../../src/client/bodies.ts';
import { downloadFile } from '../../src/cli/kit/call-bytes.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeLinesForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Raw extends ApiCommand {
  static override summary = 'Write a message as it was sent, with all of its header';
  static override description =
    'To standard output, or to a new file with --output. A terminal shows control characters as escapes; with --json the octets are base64.';
  static override examples = ['<%= config.bin %> mail raw 01a207df9916 --output message.eml'];
  static override args = messageArgument;
  static override flags = { output: Flags.string({ description: 'new file to write', helpValue: 'FILE' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Raw);
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const { output } = flags;
    const shown = this.terminal.stdout.isTTY === true || this.wantsJson;
    if (output !== undefined || !shown) {
      await downloadFile(this.terminal, client, mail.showRaw, { messageId }, { output });
      if (output !== undefined) await this.answer({ output }, () => `Wrote ${output}.`);
      return;
    }
    const { body } = await download(client, mail.showRaw, { messageId });
    const octets = await buffer(body);
    const answer = { size: octets.length, base64: octets.toString('base64') };
    await this.answer(answer, () => escapeLinesForTerminal(octets.toString('utf8')));
  }
}
