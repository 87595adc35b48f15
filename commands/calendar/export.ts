import { Args, Flags } from '@oclif/core';
import { calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { calendarFormats, exportCalendar, exportedText } from '../../src/cli/calendar/transfer/export-calendar.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';

export default class Export extends ApiCommand {
  static override summary = 'Export a calendar as iCalendar or JSON';
  static override description = `The formats ics (iCalendar) and jcal have all that the calendar has, also what Conclave does not know. The formats json, with events as the API has them, and jscalendar have its events. Only you can read the file.
With --json and without --output, the field \`content\` has the text.`;
  static override examples = [
    '<%= config.bin %> calendar export Calendar --output calendar.ics',
    '<%= config.bin %> calendar export Work --format jscalendar',
  ];
  static override args = {
    calendar: Args.string({ description: 'its name, or eight or more digits of its id', required: true }),
  };
  static override flags = {
    format: Flags.string({ description: 'format of the file', options: [...calendarFormats], default: 'ics' }),
    output: Flags.string({ description: 'new file; without it, or with -, standard output', helpValue: 'FILE' }),
    force: Flags.boolean({ description: 'replace an existing file', dependsOn: ['output'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Export);
    await using client = await this.connect(flags);
    const { id, displayName } = await calendarNamed(client, args.calendar);
    const format = calendarFormats.find((name) => name === flags.format) ?? 'ics';
    const file = flags.output === '-' ? undefined : flags.output;
    if (file === undefined && this.wantsJson) {
      const content = await exportedText(client, id, format);
      return await this.answer({ calendarId: id, format, content }, () => '');
    }
    await exportCalendar(this.terminal, client, id, format, { output: file, replace: flags.force });
    if (file !== undefined)
      await this.answer({ calendarId: id, format, file }, () => `Wrote ${displayName} to ${file}.`);
  }
}
