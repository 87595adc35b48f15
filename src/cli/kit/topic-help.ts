import type { Interfaces } from '@oclif/core';

/** The commands of a topic with their descriptions, one on each line. */
export function describeTopic(topic: string, { bin, commands }: Pick<Interfaces.Config, 'bin' | 'commands'>): string {
  const below = commands.filter(({ id, hidden }) => !hidden && id.startsWith(`${topic}:`));
  const rows = below.map(({ id, summary }) => [`${bin} ${id.replaceAll(':', ' ')}`, summary ?? ''] as const);
  const width = Math.max(0, ...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, summary]) => name.padEnd(width) + summary).join('\n');
}
