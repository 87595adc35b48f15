import { Args, Flags } from '@oclif/core';
import { calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { importCalendar } from '../../src/cli/calendar/transfer/import-calendar.ts';
import { importText } from '../../src/cli/calendar/transfer/import-views.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { duplicateModes } from '../../src/contract/calendar/limits.ts';

export default class Import extends ApiCommand {
  static override summary = 'Import events from an iCalendar file';
  static override description =
    'Files of Google, Apple, Outlook, Thunderbird, Nextcloud and others. Nobody is invited. Each event that cannot be imported is named with its line, the others are imported, and the exit code is 2 then. A large file is read in the background, which the command waits for: if you end it, the import goes on.';
  static override examples = [
    '<%= config.bin %> calendar import holidays.ics --calendar Calendar',
    '<%= config.bin %> calendar import - --calendar Work --duplicates overwrite',
  ];
  static override args = {
    file: Args.string({ description: 'file (- for standard input)', required: true }),
  };
  static override flags = {
    calendar: Flags.string({
      description: 'name of the calendar, or eight or more digits of its id',
      helpValue: 'CALENDAR',
      required: true,
    }),
    duplicates: Flags.string({
      description: 'what becomes of an event that the calendar has already',
      options: [...duplicateModes],
      default: 'skip',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Import);
    await using client = await this.connect(flags);
    const { id } = await calendarNamed(client, flags.calendar);
    const given = { calendarId: id, duplicateMode: flags.duplicates, file: args.file };
    const { result, import: read } = await importCalendar(this.terminal, client, given);
    await this.answer({ result, import: read }, () => importText(result, read));
    if (read?.state === 'failed') this.exit(1);
    if (result !== undefined && result.failed > 0) this.exit(2);
  }
}
