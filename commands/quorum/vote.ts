import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { labelled } from '../../src/cli/kit/labelled.ts';
import { widthOf } from '../../src/cli/kit/terminal.ts';
import { proposalIdOf, proposalWithPeople } from '../../src/cli/quorum/find-proposal.ts';
import { phraseFlag } from '../../src/cli/quorum/phrase.ts';
import { linesOf, proposalPairs } from '../../src/cli/quorum/proposal-views.ts';
import { decisions, outcomeText, vote, type Decision } from '../../src/cli/quorum/voting.ts';

export default class VoteCommand extends ApiCommand {
  static override summary = 'Vote on a proposal, or change your vote';
  static override description =
    'The vote that decides carries the action out. The key of your sign-in signs the vote; with --mnemonic-file, or after a sign-in by key, your recovery phrase of the quorum signs it on this machine.';
  static override examples = [
    '<%= config.bin %> quorum vote 01a1fcb906fb approve',
    '<%= config.bin %> quorum vote 01a1fcb906fb reject --comment "Not before May"',
  ];
  static override args = {
    proposal: Args.string({ description: 'id of the proposal, or its first eight or more digits', required: true }),
    decision: Args.string({ description: 'your vote', options: [...decisions], required: true }),
  };
  static override flags = {
    comment: Flags.string({ description: 'why, for the other members', helpValue: 'TEXT' }),
    ...phraseFlag,
    yes: Flags.boolean({ description: 'do not ask for confirmation' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(VoteCommand);
    await using client = await this.connect(flags);
    const { shown, people } = await proposalWithPeople(client, await proposalIdOf(client, args.proposal));
    const lines = linesOf(proposalPairs(await this.screen(), shown, people));
    this.terminal.stderr.write(labelled(lines, widthOf(this.terminal.stderr)));
    await confirmed(this.terminal, flags.yes, `Vote ${args.decision}?`);
    const ballot = { decision: args.decision as Decision, comment: flags.comment };
    const cast = await vote(client, this.terminal, shown.proposal, ballot, flags['mnemonic-file']);
    await this.answer(cast, () => `Your vote is ${cast.vote.decision}.\n${outcomeText(cast.proposal)}`);
  }
}
