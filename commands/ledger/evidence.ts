import { Args, Flags } from '@oclif/core';
import { findEvidence, keptEvidence } from '../../src/cli/ledger/evidence.ts';
import { evidenceTable } from '../../src/cli/ledger/ledger-details.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { writeNew } from '../../src/cli/kit/new-file.ts';

export default class Evidence extends ApiCommand {
  static override summary = 'Show what contradicts itself in ledgers of other nodes, or one contradiction as a file';
  static override description =
    'The file needs no node to be checked. Check it with: conclave ledger verify --bundle FILE';
  static override examples = [
    '<%= config.bin %> ledger evidence',
    '<%= config.bin %> ledger evidence 8a4fc1daaac0 --out attic.evidence',
  ];
  static override args = { id: Args.string({ description: 'id of a contradiction, or the beginning of it' }) };
  static override flags = {
    out: Flags.string({
      description: 'file to write; without it, standard output',
      helpValue: 'FILE',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Evidence);
    await using client = await this.connect(flags);
    const kept = await keptEvidence(client);
    if (args.id === undefined) {
      await this.answer({ contradictions: kept }, (screen) => evidenceTable(screen, kept));
      if (kept.length === 0) this.say('This node keeps no evidence against other nodes.');
      return;
    }
    const found = findEvidence(kept, args.id);
    if (flags.out !== undefined) await writeNew(flags.out, found.document);
    await this.answer(found, () => (flags.out === undefined ? found.document : ''));
    if (flags.out !== undefined) this.say(`The evidence against the node ${found.nodeId} is in ${flags.out}.`);
  }
}
