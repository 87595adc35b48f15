import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { hookRoomArgument, hooksOfRoom } from '../../../src/cli/chat/webhooks.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';

export default class WebhookCreate extends ApiCommand {
  static override summary = 'Make an address at which a program writes into a group or channel';
  static override description =
    'For the owner, in whose name it writes. It is a secret, printed once, as the path on the address of the server. Programs send to it what they send to incoming webhooks of Slack. It ends when you are not the owner any more.';
  static override examples = [
    '<%= config.bin %> chat webhook create builds deploys',
    '<%= config.bin %> chat webhook create builds deploys > address.txt',
  ];
  static override args = {
    ...hookRoomArgument,
    name: Args.string({ description: 'who its messages are shown to be from', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhookCreate);
    await using client = await this.connect(flags);
    const { room, create } = await hooksOfRoom(client, args.conversation);
    const made = await perform(client, create, { conversationId: room.id, name: args.name });
    await this.answer(made, () => made.path);
    this.say(`Whoever has this address can write into #${room.title}: POST it after the address of the server.`);
  }
}
