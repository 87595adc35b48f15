import { Flags } from '@oclif/core';
import { attachmentTable } from '../../src/cli/passvault/entries/entry-details.ts';
import { addAttachments, readAttachment, removeAttachment } from '../../src/cli/passvault/transfer/attachments.ts';
import { readNamedEntry } from '../../src/cli/passvault/entries/find-entry.ts';
import { entryArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class Attach extends VaultCommand {
  static override summary = 'Attach files to an entry; list, read or remove attachments';
  static override description =
    'A file may have at most 25 MiB. Without a file, --get or --remove, the command lists the attachments.';
  static override usage =
    'vault attach ENTRY [FILE]... [--type TYPE] | ENTRY --get NAME [--out FILE [--force]] | ENTRY --remove NAME';
  static override examples = [
    '<%= config.bin %> vault attach Work/server id_ed25519 id_ed25519.pub',
    '<%= config.bin %> vault attach Work/server --get id_ed25519 --out ~/.ssh/id_ed25519',
  ];
  static override strict = false;
  static override args = entryArgument;
  static override flags = {
    get: Flags.string({ description: 'write this attachment to standard output, or to --out', helpValue: 'NAME' }),
    out: Flags.string({ description: 'file to write', helpValue: 'FILE', dependsOn: ['get'] }),
    force: Flags.boolean({ description: 'replace an existing file', dependsOn: ['out'] }),
    remove: Flags.string({ description: 'remove this attachment', helpValue: 'NAME', exclusive: ['get'] }),
    type: Flags.string({ description: 'media type of the attachment', helpValue: 'TYPE' }),
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Attach);
    await using session = await this.session(flags);
    const { vault, entry } = await readNamedEntry(session, args.entry);
    if (flags.get !== undefined) {
      const read = await readAttachment(session, vault, entry, flags.get, {
        ...flags,
        json: this.wantsJson,
      });
      return await this.answer(read, () => '');
    }
    if (flags.remove !== undefined) {
      const removed = await removeAttachment(session, vault, entry, flags.remove);
      return await this.answer({ removed: removed.id, filename: removed.filename }, () => '');
    }
    const files = (argv as string[]).slice(1);
    const added = await this.waitFor('Attaching', addAttachments(session, vault, entry, files, flags.type));
    const attachments = [...entry.attachments, ...added];
    await this.answer({ entryId: entry.id, attachments }, (screen) => attachmentTable(screen, attachments));
  }
}
