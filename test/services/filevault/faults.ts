export interface Fault {
  readonly kind: string;
  readonly fileId: string | null;
  readonly detail: string;
}

export type Level = 'quick' | 'full';

interface Part {
  readonly faults: readonly Fault[];
  readonly next: string | null;
}

/** What a check finds, which answers part by part. @param ask for the next part, with this body */
export async function faultsOf(level: Level, ask: (body: object) => Promise<Part>): Promise<Fault[]> {
  const found: Fault[] = [];
  for (let after: string | undefined; ;) {
    const { faults, next } = await ask({ level, ...(after !== undefined && { after }) });
    found.push(...faults);
    if (next === null) return found;
    after = next;
  }
}
