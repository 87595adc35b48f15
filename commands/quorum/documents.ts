import { listFlags, ListCommand, listing } from '../../src/cli/kit/list-command.ts';
import { documentColumns } from '../../src/cli/quorum/document-views.ts';
import { quorumDocuments } from '../../src/contract/quorum/documents.ts';

export default class Documents extends ListCommand {
  static override summary = 'List sealed documents, newest first';
  static override description =
    'Members of the quorum see all documents, others those that they sealed. Documents with a former holder should be shared anew.';
  static override examples = ['<%= config.bin %> quorum documents --holders-changed true'];
  static override flags = listFlags(quorumDocuments.listDocuments);

  protected override readonly shows = listing(quorumDocuments.listDocuments, 'documents', documentColumns);
}
