import type { Report } from '../../contract/social/reports.ts';
import { moment } from '../kit/screen.ts';
import type { Column } from '../kit/table.ts';

export const reportColumns: readonly Column<Report>[] = [
  { title: 'ID', of: (report) => report['_id'], whole: true },
  { title: 'POST', of: ({ postId }) => postId, whole: true, spare: true },
  { title: 'STATUS', of: ({ status }) => status },
  { title: 'MADE', of: ({ createdAt }, screen) => moment(screen, createdAt), spare: true },
  { title: 'REASON', of: ({ reason }) => reason, main: true, prose: true },
];
