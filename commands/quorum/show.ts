import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { documentDetails } from '../../src/cli/quorum/document-views.ts';
import { documentIdOf } from '../../src/cli/quorum/find-document.ts';
import { peopleOf } from '../../src/cli/quorum/people.ts';
import { quorumDocuments } from '../../src/contract/quorum/documents.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show who can open a sealed document, without opening it';
  static override description = 'It also says whether a holder is no member any more, and what to do then.';
  static override examples = ['<%= config.bin %> quorum show 01a1fcb906fb'];
  static override args = {
    document: Args.string({ description: 'id of the document, or its first eight or more digits', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const documentId = await documentIdOf(client, await this.screen(), args.document);
    const { document } = await perform(client, quorumDocuments.showDocument, { documentId });
    const people = await peopleOf(client, document.formerMemberIds);
    await this.answer(document, (screen) => documentDetails(screen, document, people));
  }
}
