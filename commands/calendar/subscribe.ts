import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { calendarFacts } from '../../src/cli/calendar/calendar-views.ts';
import { followedAddress, intervalFrom, nameOfAddress } from '../../src/cli/calendar/followed-address.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { details } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Subscribe extends ApiCommand {
  static override summary = 'Follow a calendar at an address elsewhere';
  static override description =
    'It makes a calendar whose events come from there and are only read here. An address that is public may be an argument. One that is a secret belongs on standard input (-), where no list of processes and no history of a shell shows it; without an argument, the command asks for it.';
  static override examples = [
    '<%= config.bin %> calendar subscribe https://example.org/club.ics --name Club --every 12h',
    '<%= config.bin %> calendar subscribe - --name Office < address.txt',
  ];
  static override args = {
    address: Args.string({ description: 'https or webcal address of an iCalendar file, or - for standard input' }),
  };
  static override flags = {
    name: Flags.string({ description: 'name of the calendar; default: the host of the address', helpValue: 'NAME' }),
    every: Flags.string({ description: 'how often it is read: 1h to 30d; usually 6h', helpValue: 'DURATION' }),
    color: Flags.string({ description: 'such as #1a73e8', helpValue: 'COLOR' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Subscribe);
    const interval = flags.every === undefined ? undefined : intervalFrom(flags.every);
    const subscriptionUrl = await followedAddress(this.terminal, args.address);
    const input = {
      displayName: flags.name ?? nameOfAddress(subscriptionUrl),
      subscriptionUrl,
      ...(interval !== undefined && { subscriptionRefreshInterval: interval }),
      ...(flags.color !== undefined && { color: flags.color }),
    };
    await using client = await this.connect(flags);
    const { calendar: made } = await perform(client, calendar.createCalendar, input);
    await this.answer(made, (screen) => details(screen, calendarFacts(screen, made)));
    this.say('Its events come in a moment. What is wrong, if anything is, shows: conclave calendar list');
  }
}
