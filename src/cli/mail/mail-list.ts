import { Flags } from '@oclif/core';
import { perform } from '../../client/perform.ts';
import { mailLimits, type Folder } from '../../contract/mail/limits.ts';
import { mail } from '../../contract/mail.ts';
import { timeFrom } from '../../base/iso-time.ts';
import { Problem } from '../../base/problem.ts';
import { ApiCommand, type ConnectionFlags } from '../kit/command.ts';
import { table } from '../kit/table.ts';
import { itemColumns, signsText } from './mail-columns.ts';

const sorts = ['date', 'sender', 'subject', 'size'] as const;

/** The filters, the order and the page of a list of messages. */
export const mailListFlags = {
  unread: Flags.boolean({ description: 'unread messages alone' }),
  flagged: Flags.boolean({ description: 'flagged messages alone' }),
  attachments: Flags.boolean({ description: 'messages with attachments alone' }),
  from: Flags.string({ description: 'messages from this address', helpValue: 'ADDRESS' }),
  subject: Flags.string({ description: 'messages with this in the subject', helpValue: 'TEXT' }),
  search: Flags.string({
    description: 'messages with all of these words in subject, addresses or text',
    helpValue: 'TEXT',
  }),
  label: Flags.string({ description: 'messages with this label', helpValue: 'LABEL' }),
  since: Flags.string({ description: 'messages of this moment and later, such as 2027-01-31', helpValue: 'TIME' }),
  until: Flags.string({ description: 'messages of this moment and earlier; a date counts whole', helpValue: 'TIME' }),
  sort: Flags.string({ description: 'by what they are sorted', options: [...sorts], default: 'date' }),
  reverse: Flags.boolean({ description: 'the other way round: the oldest first, or from the end of the alphabet' }),
  page: Flags.integer({ description: 'page of the list', helpValue: 'N', min: 1, default: 1 }),
  'page-size': Flags.integer({
    description: 'messages on a page',
    helpValue: 'N',
    min: 1,
    max: mailLimits.page,
    default: 50,
  }),
};

export interface MailListFlags {
  readonly unread?: boolean;
  readonly flagged?: boolean;
  readonly attachments?: boolean;
  readonly from?: string | undefined;
  readonly subject?: string | undefined;
  readonly search?: string | undefined;
  readonly label?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly sort: string;
  readonly reverse?: boolean;
  readonly page: number;
  readonly 'page-size': number;
}

const DAY_MS = 86_400_000;

/** The input of the operations that list messages. @throws Problem invalid USAGE for what is no time */
function selectionOf(flags: MailListFlags) {
  const { from, subject, search, label, since, until, page } = flags;
  const sortBy = sorts.find((one) => one === flags.sort) ?? 'date';
  // The newest and the largest interest first, but names are looked up from A.
  const falls = sortBy === 'date' || sortBy === 'size';
  return {
    ...(flags.unread === true && { readStatus: 'unread' as const }),
    ...(flags.flagged === true && { flagged: 'true' as const }),
    ...(flags.attachments === true && { hasAttachments: 'true' as const }),
    ...(from !== undefined && { senderAddress: from }),
    ...(subject !== undefined && { subjectContains: subject }),
    ...(search !== undefined && { searchText: search }),
    ...(label !== undefined && { label }),
    ...(since !== undefined && { dateFrom: momentOf(since, '--since', 0) }),
    ...(until !== undefined && { dateTo: momentOf(until, '--until', DAY_MS - 1) }),
    sortBy,
    sortDirection: falls === (flags.reverse === true) ? ('asc' as const) : ('desc' as const),
    page,
    pageSize: flags['page-size'],
  };
}

/** @param ofDay what is added to a date without a time */
function momentOf(text: string, flag: string, ofDay: number): string {
  const at = timeFrom(text);
  if (at !== undefined) return new Date(text.length === 10 ? at + ofDay : at).toISOString();
  throw new Problem('invalid', 'USAGE', `${flag} must be a time: 2027-01-31, or 2027-01-31T08:00:00Z.`);
}

/** A command that lists messages. Its flags are `mailListFlags`. */
export abstract class MailListCommand extends ApiCommand {
  protected async list(folder: Folder | 'all', flags: MailListFlags & ConnectionFlags): Promise<void> {
    const selection = selectionOf(flags);
    await using client = await this.connect(flags);
    const reply = await perform(client, mail.listFolder, { folder, ...selection });
    const { emails, total, page, pageSize } = reply;
    await this.answer(reply, (screen) => table(screen, emails, itemColumns(emails)));
    if (this.terminal.stdout.isTTY === true && !this.wantsJson && emails.length > 0) this.say(`Marks: ${signsText}`);
    if (total === 0) this.say('There are no such messages.');
    else if (emails.length === 0) this.say(`There is no page ${page}. The last is ${Math.ceil(total / pageSize)}.`);
    else if (page * pageSize < total)
      this.say(`Page ${page} of ${Math.ceil(total / pageSize)}. For the next: --page ${page + 1}`);
  }
}
