import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { deliveriesOf, deliveryLine, deliveryTable, isOver } from '../../src/cli/mail/deliveries.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { watchMail } from '../../src/cli/mail/watching.ts';

export default class Status extends ApiCommand {
  static override summary = 'Show what became of a message that you sent, by recipient';
  static override description =
    'PENDING has not left, IN_TRANSIT is on its way, DELIVERED has arrived, RELAYED was taken by the mail relay of the node, and FAILED never will: the reason says why. With --watch each change is told until nothing is on its way; the exit code is 1 if a delivery failed.';
  static override examples = ['<%= config.bin %> mail status 01a207df9916 --watch'];
  static override args = messageArgument;
  static override flags = { watch: Flags.boolean({ description: 'tell changes until nothing is on its way' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Status);
    await using client = flags.watch ? await this.connectToWatch(flags) : await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    let deliveries = await deliveriesOf(client, messageId);
    if (flags.watch) {
      if (client.connection.kind === 'process' && !deliveries.every(isOver))
        this.warnOf('No server runs on this data directory. Nothing is delivered until one does: conclave serve');
      const told = new Set(deliveries.map(deliveryLine));
      await watchMail(client, {
        look: async () => {
          deliveries = await deliveriesOf(client, messageId);
          for (const line of deliveries.map(deliveryLine)) if (!told.has(line)) this.say(line);
          for (const line of deliveries.map(deliveryLine)) told.add(line);
          return !deliveries.every(isOver);
        },
        trouble: ({ message }) => this.warnOf(`${message} Trying again.`),
      });
    }
    await this.answer({ deliveries }, (screen) => deliveryTable(screen, deliveries));
    if (deliveries.length === 0) this.say('Only the sender sees what became of this message.');
    if (flags.watch && deliveries.some(({ status }) => status === 'FAILED')) this.exit(1);
  }
}
