import { appointmentColumns } from '../../src/cli/calendar/page-views.ts';
import { listFlags, listing, ListCommand } from '../../src/cli/kit/list-command.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Book extends ListCommand {
  static override summary = 'List what guests have booked with you';
  static override description =
    'From now on, if no range is given. One that waits for you is decided by conclave calendar booking confirm and reject.';
  static override examples = [
    '<%= config.bin %> calendar book',
    '<%= config.bin %> calendar book --status pending --page ann-talks',
  ];
  static override flags = listFlags(calendar.listAppointments);

  protected override readonly shows = listing(calendar.listAppointments, 'appointments', appointmentColumns);
  protected override readonly none =
    'Nobody has booked anything. To list your booking pages, run: conclave calendar pages';
}
