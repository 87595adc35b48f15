import type prometheus from 'prom-client';
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Observation } from '../../http/serving.ts';

/** A number that is read at each scrape. */
export interface Measure {
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'counter';
  /** one value for each value of this label, instead of one alone */
  readonly label?: string;
  read(): Values | Promise<Values>;
}

type Values = number | ReadonlyMap<string, number>;

export function gauge(name: string, help: string, read: () => number | Promise<number>): Measure {
  return { name, help, kind: 'gauge', read };
}

export interface Metrics {
  observe(seen: Observation): void;
  /** the Prometheus text format */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Seconds. The range begins with the time for reading one row and ends with the patience of people. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Maximum number of measurements that are kept until the library is loaded. */
const MAX_EARLY = 10_000;

type Library = Pick<typeof prometheus, 'Registry' | 'Counter' | 'Gauge' | 'Histogram'>;

interface Instruments {
  readonly registry: Registry;
  readonly requests: Counter<'operation' | 'status'>;
  readonly seconds: Histogram<'operation'>;
}

/**
 * Metrics for Prometheus. Names of operations come from the contract, so a request cannot create a label. The library is loaded after the
 * first request was served, so it does not delay the start.
 */
export function createMetrics(measures: readonly Measure[]): Metrics {
  let loading: Promise<Instruments> | undefined;
  let instruments: Instruments | undefined;
  const early: Observation[] = [];

  function load(): Promise<Instruments> {
    loading ??= import('prom-client').then(({ default: library }) => {
      instruments = instrumentsOf(library, measures);
      for (const seen of early.splice(0)) record(instruments, seen);
      return instruments;
    });
    return loading;
  }

  return {
    observe(seen) {
      if (instruments !== undefined) {
        record(instruments, seen);
        return;
      }
      if (early.length < MAX_EARLY) early.push(seen);
      if (loading === undefined) setImmediate(() => void load());
    },
    async render() {
      const { registry } = await load();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function record({ requests, seconds }: Instruments, { operation = 'none', status, milliseconds }: Observation): void {
  requests.inc({ operation, status });
  seconds.observe({ operation }, milliseconds / 1000);
}

function instrumentsOf(library: Library, measures: readonly Measure[]): Instruments {
  const registry = new library.Registry();
  const registers = [registry];
  for (const measure of measures) {
    const { name, help, label } = measure;
    const Instrument = measure.kind === 'gauge' ? library.Gauge : library.Counter;
    const instrument: Gauge | Counter = new Instrument({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [],
      async collect() {
        const values = await measure.read();
        instrument.reset();
        if (typeof values === 'number') instrument.inc(values);
        else for (const [of, value] of values) instrument.inc({ [label ?? '']: of }, value);
      },
    });
    registry.registerMetric(instrument);
  }
  return {
    registry,
    requests: new library.Counter({
      name: 'conclave_http_requests_total',
      help: 'Requests answered, by operation and status.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    seconds: new library.Histogram({
      name: 'conclave_http_request_duration_seconds',
      help: 'Time from the request to its answer, by operation.',
      labelNames: ['operation'],
      buckets: BUCKETS,
      registers,
    }),
  };
}
