import { Args, Flags } from '@oclif/core';
import { uploadFile } from '../../src/cli/kit/call-bytes.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { importText } from '../../src/cli/contacts/contact-views.ts';
import { bookFlag, findBook } from '../../src/cli/contacts/find-book.ts';
import type { CardImportResult } from '../../src/contract/contacts/files.ts';
import { cardDuplicateModes } from '../../src/contract/contacts/limits.ts';
import { contacts } from '../../src/contract/contacts.ts';

export default class Import extends ApiCommand {
  static override summary = 'Import contacts from a file of vCards';
  static override description =
    'Files of Apple, Google, Outlook, Nextcloud, Thunderbird, Android and others. What cannot be read of a file is named with its line, and the exit code is 2 then.';
  static override examples = [
    '<%= config.bin %> contacts import contacts.vcf',
    '<%= config.bin %> contacts import contacts.vcf --book Work --duplicates overwrite',
  ];
  static override args = {
    file: Args.string({ description: 'file (- for standard input)', required: true }),
  };
  static override flags = {
    ...bookFlag,
    duplicates: Flags.string({
      description: 'what becomes of a contact that the book has already',
      options: [...cardDuplicateModes],
      default: 'skip',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Import);
    await using client = await this.connect(flags);
    const { id: bookId } = await findBook(client, flags.book);
    const input = { bookId, duplicateMode: flags.duplicates };
    const sent = { body: args.file, type: 'text/vcard' };
    const reply = await uploadFile(this.terminal, client, contacts.importVcf, input, sent);
    const { result } = reply as { readonly result: CardImportResult };
    await this.answer({ result }, () => importText(result));
    if (result.failed > 0) this.exit(2);
  }
}
