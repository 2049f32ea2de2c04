import { systemClock } from '@roost/time';
import {
  Dataflow,
  DataflowNode,
  type DataflowOptions,
  DEFAULT_DATAFLOW_OPTIONS,
  InvalidDataflowOptionError,
  span,
} from '../index.js';
import { resolveDataflowOptions } from './options.js';

const { jest } = import.meta;

@DataflowNode()
class Hermit {}

const graph: DataflowOptions['graph'] = (g) => g.node(Hermit);

describe('options', () => {
  it('have the documented defaults', () => {
    const { options } = new Dataflow({ graph });
    expect(options).toMatchObject({
      fast: false,
      seed: 'roost',
      trace: false,
      record: false,
      lagWarningMs: 1_000,
      forceTimeoutMs: 2_000,
    });
    expect(options).toMatchObject(DEFAULT_DATAFLOW_OPTIONS);
    expect([options.clock, options.timeout, options.replay]).toEqual([systemClock, undefined, undefined]);
  });

  it('treat undefined as the default', () => {
    expect(
      resolveDataflowOptions({ graph, seed: undefined, fast: undefined, forceTimeoutMs: undefined }),
    ).toMatchObject(DEFAULT_DATAFLOW_OPTIONS);
  });

  it.each([
    [{ graph: undefined }, 'graph'],
    [{ graph: {} }, 'graph'],
    [{ fast: 'yes' }, 'fast'],
    [{ trace: 1 }, 'trace'],
    [{ record: null }, 'record'],
    [{ seed: 5 }, 'seed'],
    [{ timeout: -1 }, 'timeout'],
    [{ timeout: 1.5 }, 'timeout'],
    [{ timeout: '5' }, 'timeout'],
    [{ timeout: Infinity }, 'timeout'],
    [{ lagWarningMs: -1 }, 'lagWarningMs'],
    [{ lagWarningMs: NaN }, 'lagWarningMs'],
    [{ forceTimeoutMs: Infinity }, 'forceTimeoutMs'],
    [{ forceTimeoutMs: '5' }, 'forceTimeoutMs'],
  ])('reject %p', (options, name) => {
    const create = () => new Dataflow({ graph, ...options } as never);
    expect(create).toThrow(InvalidDataflowOptionError);
    expect(create).toThrow(`Dataflow option \`${name}\` is `);
  });

  it('reject process options in a graph without processes', () => {
    expect(() => resolveDataflowOptions({ graph, ...{ window: 5 } })).toThrow(
      /`window` is set, but must be removed: there is no such option\. Valid options: /,
    );
  });

  it('accept a timeout of 0', () => {
    expect(resolveDataflowOptions({ graph, timeout: span.ms(0) }).timeout).toBe(0);
  });
});

describe('the logger of a graph', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is the console by default', () => {
    const lines: string[] = [];
    for (const level of ['log', 'warn', 'error'] as const) {
      jest
        .spyOn(console, level)
        .mockImplementation((...args: unknown[]) => void lines.push(`${level} ${String(args[0])}`));
    }
    const { logger } = resolveDataflowOptions({ graph });
    logger.log('a');
    logger.warn('b');
    logger.error('c');
    expect(lines).toEqual(['log [dataflow] a', 'warn [dataflow] b', 'error [dataflow] c']);
  });

  it('may throw without consequences', () => {
    const fail = () => {
      throw new Error('disk full');
    };
    const { logger } = resolveDataflowOptions({ graph, logger: { log: fail, warn: fail, error: fail } });
    expect(() => [logger.log('a'), logger.warn('b'), logger.error('c')]).not.toThrow();
  });
});
