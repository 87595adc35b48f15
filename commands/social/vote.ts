import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { postArgument } from '../../src/cli/social/arguments.ts';
import { social } from '../../src/contract/social.ts';

const operations = { up: social.upvote, down: social.downvote, none: social.unvote } as const;

export default class Vote extends ApiCommand {
  static override summary = 'Vote for or against a post';
  static override description = 'You have one vote on a post. Another vote takes its place.';
  static override examples = ['<%= config.bin %> social vote 01a207df991600112233445566778899 up'];
  static override args = {
    ...postArgument,
    vote: Args.string({ description: 'your vote', options: Object.keys(operations), required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Vote);
    await using client = await this.connect(flags);
    const votes = await perform(client, operations[args.vote as keyof typeof operations], { id: args.post });
    await this.answer(votes, () => `The score of the post is ${votes.score}.`);
  }
}
