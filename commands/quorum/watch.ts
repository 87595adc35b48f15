import { Args } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { changeLine } from '../../src/cli/quorum/changes.ts';
import { proposalIdOf } from '../../src/cli/quorum/find-proposal.ts';
import { outcomeText } from '../../src/cli/quorum/voting.ts';
import { watchQuorum } from '../../src/cli/quorum/watching.ts';

export default class Watch extends ApiCommand {
  static override summary = 'Watch proposals and votes, and what waits for you, as it happens';
  static override description =
    'One line for each change; with --json, one JSON object. It shows proposals, votes, new epochs, requests for your share, and what becomes of your own requests. With a proposal it ends when that is decided, with exit code 1 if its action was not carried out. Press Ctrl-C to stop.';
  static override examples = [
    '<%= config.bin %> quorum watch',
    '<%= config.bin %> quorum watch 01a1fcb906fb && ./paint-the-door',
  ];
  static override args = {
    proposal: Args.string({ description: 'id of a proposal, or its first eight or more digits' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Watch);
    await using client = await this.connect(flags);
    const proposalId = args.proposal === undefined ? undefined : await proposalIdOf(client, args.proposal);
    if (client.connection.kind === 'process')
      this.warnOf('No server runs on this data directory. Other commands cannot use it until this one ends.');
    this.say('Watching. Press Ctrl-C to stop.');
    const decided = await watchQuorum(client, {
      proposalId,
      tell: (change, people) => void this.terminal.stdout.write(`${changeLine(change, people, flags.json)}\n`),
      trouble: ({ message }) => this.warnOf(`${message} Trying again.`),
    });
    if (decided === undefined) return;
    this.say(outcomeText(decided));
    if (decided.status !== 'executed') this.exit(1);
  }
}
