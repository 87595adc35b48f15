import { Args, Flags } from '@oclif/core';
import { chatKeyFlag } from '../../../src/cli/accounts/own-key.ts';
import { saveUnderOwnName } from '../../../src/cli/chat/save-attachment.ts';
import { downloadFile } from '../../../src/cli/kit/call-bytes.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';
import { sealedFile } from '../../../src/cli/chat/sealed/finding-files.ts';
import { saveSealed } from '../../../src/cli/chat/sealed/save-sealed.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class AttachmentGet extends ChatCommand {
  static override summary = 'Save an attachment of a message';
  static override description =
    'Without --output it gets the name that its sender gave it, without characters that could deceive you, in the current folder or --dir. Nothing is overwritten.';
  static override examples = [
    '<%= config.bin %> chat attachment get 01a2281692f9809b86221a02bf06a2d5',
    '<%= config.bin %> chat attachment get 01a2281692f9809b86221a02bf06a2d5 --output - | tar -xz',
  ];
  static override args = {
    id: Args.string({ description: 'id of the attachment, as conclave chat read shows it', required: true }),
  };
  static override flags = {
    output: Flags.string({ description: 'new file to write; - for standard output', helpValue: 'FILE' }),
    dir: Flags.string({ description: 'folder to save into', helpValue: 'DIR', default: '.', exclusive: ['output'] }),
    ...chatKeyFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AttachmentGet);
    await using client = await this.connect(flags);
    const input = { attachmentId: args.id };
    const side = this.side(client, flags);
    const sealed = await sealedFile(side, args.id);
    const saved = sealed && (await saveSealed(side, sealed, flags));
    if (saved !== undefined) return await this.wrote(saved);
    if (flags.output === '-') return await downloadFile(this.terminal, client, chat.showAttachment, input, {});
    if (flags.output !== undefined) await downloadFile(this.terminal, client, chat.showAttachment, input, flags);
    const output = flags.output ?? (await saveUnderOwnName(client, args.id, flags.dir));
    await this.wrote(output);
  }

  private async wrote(output: string): Promise<void> {
    if (output !== '-') await this.answer({ output }, () => escapeForTerminal(`Wrote ${output}.`));
  }
}
