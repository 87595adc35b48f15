import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { hookNamed, hookRoomArgument, hooksOfRoom } from '../../../src/cli/chat/webhooks.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';

export default class WebhookRemove extends ApiCommand {
  static override summary = 'End a webhook of a group or channel';
  static override description = 'For the owner. Its address takes nothing any more; what was written by it stays.';
  static override examples = ['<%= config.bin %> chat webhook remove builds deploys'];
  static override args = {
    ...hookRoomArgument,
    webhook: Args.string({ description: 'its name, or eight or more digits of its id', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhookRemove);
    await using client = await this.connect(flags);
    const of = await hooksOfRoom(client, args.conversation);
    const { webhookId, name } = await hookNamed(client, of, args.webhook);
    const reply = await perform(client, of.remove, { conversationId: of.room.id, webhookId });
    await this.answer({ webhookId, ...reply }, () =>
      escapeForTerminal(`Nothing is written into #${of.room.title} by ${name} any more.`),
    );
  }
}
