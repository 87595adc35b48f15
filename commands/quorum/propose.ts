import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { labelled } from '../../src/cli/kit/labelled.ts';
import { widthOf } from '../../src/cli/kit/terminal.ts';
import { peopleOf } from '../../src/cli/quorum/people.ts';
import { linesOf } from '../../src/cli/quorum/proposal-views.ts';
import { draftOf, draftPairs, propose } from '../../src/cli/quorum/proposing.ts';
import { actionTypes, type ActionType } from '../../src/contract/quorum/actions.ts';

export default class Propose extends ApiCommand {
  static override summary = 'Propose something to the quorum';
  static override description =
    'Fields of the action follow its type: member=ada, members=ada,bob, document=ID, threshold=3, alias=NAME, reason=TEXT. On a terminal it asks for what is missing.';
  static override examples = [
    '<%= config.bin %> quorum propose',
    '<%= config.bin %> quorum propose REMOVE_MEMBER member=bob --description "Bob has left us"',
    '<%= config.bin %> quorum propose CUSTOM --payload @door.json --description "Paint the door"',
    '<%= config.bin %> quorum propose CUSTOM --payload \'{"colour":"green"}\' --description "Paint the door"',
  ];
  static override usage = 'quorum propose [ACTION] [FIELD=VALUE]... [--description TEXT] [--expires WHEN]';
  static override strict = false;
  static override args = {
    action: Args.string({ description: 'type of the action', options: actionTypes }),
    fields: Args.string({ description: 'fields of the action: member=ada' }),
  };
  static override flags = {
    description: Flags.string({ description: 'what it is about, for the members who vote', helpValue: 'TEXT' }),
    expires: Flags.string({ description: 'when voting ends: 7d (unless given), 12h, or a date', helpValue: 'WHEN' }),
    payload: Flags.string({
      description: 'all fields of the action: JSON, @ and a file that has it, or - for standard input',
      helpValue: 'JSON',
    }),
    yes: Flags.boolean({ description: 'do not ask for confirmation' }),
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Propose);
    await using client = await this.connect(flags);
    const reading = { client, screen: await this.screen(), people: await peopleOf(client) };
    const actionType = args.action as ActionType | undefined;
    const given = { actionType, assignments: argv.slice(1).map(String), payload: flags.payload };
    const { description, expires } = flags;
    const draft = await draftOf(reading, this.terminal, { ...given, description, expires });
    const lines = linesOf(draftPairs(reading.screen, draft, reading));
    this.terminal.stderr.write(labelled(lines, widthOf(this.terminal.stderr)));
    await confirmed(this.terminal, flags.yes, 'Propose this?');
    const proposal = await propose(reading, draft);
    const id = proposal.id.slice(0, 12);
    await this.answer(
      proposal,
      () => `Proposed ${proposal.id}.\nMembers vote with: conclave quorum vote ${id} approve`,
    );
  }
}
