import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { documentIdOf } from '../../src/cli/quorum/find-document.ts';
import { quorumDocuments } from '../../src/contract/quorum/documents.ts';

export default class Delete extends ApiCommand {
  static override summary = 'Delete a document that you sealed, for good';
  static override description =
    'The ciphertext and all shares are erased. Copies in backups stay until these are deleted.';
  static override examples = ['<%= config.bin %> quorum delete 01a1fcb906fb'];
  static override args = {
    document: Args.string({ description: 'id of the document, or its first eight or more digits', required: true }),
  };
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Delete);
    await using client = await this.connect(flags);
    const documentId = await documentIdOf(client, await this.screen(), args.document);
    await confirmed(this.terminal, flags.yes, `Delete the document ${documentId} for ever?`);
    await perform(client, quorumDocuments.removeDocument, { documentId });
    await this.answer({ deleted: documentId }, () => `Deleted ${documentId}.`);
  }
}
