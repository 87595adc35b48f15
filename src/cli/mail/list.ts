import { perform } from '../../client/perform.ts';
import type { JsonOperation } from '../../contract/operation.ts';
import type { mailReading } from '../../contract/mail/reading.ts';
import { ApiCommand, type ConnectionFlags } from '../kit/command.ts';
import { flagsOf } from '../kit/flags.ts';
import { table } from '../kit/table.ts';
import { messageColumns } from './message-views.ts';

export function messageFlags(operation: JsonOperation) {
  return flagsOf(operation, { omit: ['memberId'] });
}

/** A command that shows a page of messages. */
export abstract class MessageList extends ApiCommand {
  protected abstract readonly shows: JsonOperation;

  async run(): Promise<void> {
    const { args, flags } = await this.parse<ConnectionFlags, ConnectionFlags, Record<string, unknown>>(this.ctor);
    const input = await this.inputFor(this.shows, flags, { given: args, skip: ['memberId'] });
    await using client = await this.connect(flags);
    // All lists of messages have the reply of the folder's.
    const reply = await perform(client, this.shows as typeof mailReading.listFolder, input);
    const { emails, total, page, pageSize } = reply;
    await this.answer(reply, (screen) => table(screen, emails, messageColumns));
    const pages = Math.ceil(total / pageSize);
    if (total === 0) this.say('There are no messages.');
    else if (pages > 1) this.say(`Page ${page} of ${pages}, ${total} messages. Use --page for others.`);
  }
}
