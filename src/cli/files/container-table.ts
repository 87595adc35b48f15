import type { ListedContainer } from '../../contract/filevault/fields.ts';
import { bytes, moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

export function containerTable(screen: Screen, containers: readonly ListedContainer[]): string {
  return table(screen, containers, [
    { title: 'NAME', of: ({ name }) => name, main: true },
    { title: 'STATE', of: ({ state }) => state, whole: true },
    { title: 'FILES', of: ({ fileCount }) => String(fileCount), whole: true },
    { title: 'USED', of: ({ usedBytes }) => bytes(usedBytes), whole: true },
    { title: 'QUOTA', of: ({ quotaBytes }) => bytes(quotaBytes), whole: true },
    { title: 'CREATED', of: ({ createdAt }) => moment(screen, createdAt), whole: true },
    { title: 'ID', of: ({ id }) => id, spare: true },
  ]);
}
