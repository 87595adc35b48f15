import { text } from 'node:stream/consumers';
import { Flags } from '@oclif/core';
import { downloadFile } from '../../src/cli/kit/call-bytes.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { bookFlag, findBook } from '../../src/cli/contacts/find-book.ts';
import { download } from '../../src/client/bodies.ts';
import { contacts } from '../../src/contract/contacts.ts';

export default class Export extends ApiCommand {
  static override summary = 'Export an address book as vCards';
  static override description =
    'Your default book without --book. With --json and without --out, the field `vcf` has the text.';
  static override examples = ['<%= config.bin %> contacts export --out contacts.vcf'];
  static override flags = {
    ...bookFlag,
    out: Flags.string({ description: 'new file; without it, standard output', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Export);
    await using client = await this.connect(flags);
    const { id: bookId } = await findBook(client, flags.book);
    if (flags.out === undefined && this.wantsJson) {
      const { body } = await download(client, contacts.exportVcf, { bookId });
      await this.answer({ bookId, vcf: await text(body) }, () => '');
      return;
    }
    await downloadFile(this.terminal, client, contacts.exportVcf, { bookId }, { output: flags.out });
    if (flags.out !== undefined) await this.answer({ file: flags.out }, () => `Wrote ${flags.out}.`);
  }
}
