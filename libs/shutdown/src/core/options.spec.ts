import { systemClock } from '@roost/time';
import { CoordinatedShutdown } from './coordinated-shutdown.js';
import { ContradictoryOptionsError } from './errors/contradictory-options.error.js';
import { InvalidShutdownOptionError } from './errors/invalid-shutdown-option.error.js';
import { InvalidTimeoutError } from './errors/invalid-timeout.error.js';
import {
  assertSignals,
  type CoordinatedShutdownOptions,
  DEFAULT_SHUTDOWN_OPTIONS,
  resolveShutdownOptions,
} from './options.js';
import { RecordingLogger } from '@roost/kernel/testing';
import { FakeProcess } from './process/fake-process.js';

const { jest } = import.meta;

const bad = (options: unknown) => () =>
  new CoordinatedShutdown(options as CoordinatedShutdownOptions, new FakeProcess());
const option = (name: string) => expect.objectContaining({ code: 'SHUTDOWN_INVALID_OPTION', option: name }) as Error;

describe('resolveShutdownOptions', () => {
  it('fills in the documented defaults', () => {
    expect(resolveShutdownOptions()).toEqual({ ...DEFAULT_SHUTDOWN_OPTIONS, logger: expect.anything() as unknown });
    expect(DEFAULT_SHUTDOWN_OPTIONS).toEqual({
      timeoutMs: 30_000,
      defaultPhaseTimeoutMs: 5_000,
      phases: {},
      concurrency: 'sequential',
      signals: ['SIGTERM', 'SIGINT'],
      secondSignal: { SIGINT: 'exit' },
      exit: { process: 'on-signal', onFailure: 1, reasons: {} },
      uncaught: false,
      throwOnFailure: false,
      bootTimeoutMs: 30_000,
      gracePeriodMs: 30_000,
      preStopMs: 0,
      hooksBudgetMs: 1_000,
      clock: systemClock,
      logger: DEFAULT_SHUTDOWN_OPTIONS.logger,
    });
  });

  it.each([
    ['2500', 2_500],
    ['12s', 12_000],
    ['', 30_000],
  ])('reads timeoutMs from the environment: "%s"', (text, timeoutMs) => {
    expect(resolveShutdownOptions({}, { ROOST_TIMEOUT_MS: text }).timeoutMs).toBe(timeoutMs);
    expect(resolveShutdownOptions({ timeoutMs: 7 }, { ROOST_TIMEOUT_MS: text }).timeoutMs).toBe(7);
  });

  it('names an invalid environment variable', () => {
    expect(() => resolveShutdownOptions({}, { ROOST_TIMEOUT_MS: 'soon' })).toThrow(option('ROOST_TIMEOUT_MS'));
    expect(() => resolveShutdownOptions({}, { ROOST_TIMEOUT_MS: '0' })).toThrow(/ROOST_TIMEOUT_MS/);
  });

  it('treats an undefined option as not given, even inside exit', () => {
    const options = resolveShutdownOptions({
      timeoutMs: undefined,
      phases: undefined,
      exit: { process: undefined, onFailure: undefined, reasons: undefined },
    });

    expect(options).toMatchObject({ timeoutMs: 30_000, phases: {}, exit: DEFAULT_SHUTDOWN_OPTIONS.exit });
    expect(resolveShutdownOptions({ exit: undefined }).exit).toEqual(DEFAULT_SHUTDOWN_OPTIONS.exit);
  });

  it('keeps the given options and adds the defaults', () => {
    const options = resolveShutdownOptions({
      exit: { onFailure: 9 },
      secondSignal: { SIGTERM: 'exit' },
      signals: [],
      preStopMs: 5_000,
      hooksBudgetMs: 0,
    });

    expect(options.exit).toEqual({ process: 'on-signal', onFailure: 9, reasons: {} });
    expect(options.secondSignal).toEqual({ SIGINT: 'exit', SIGTERM: 'exit' });
    expect(options).toMatchObject({ signals: [], preStopMs: 5_000, hooksBudgetMs: 0 });
  });

  it('lets secondSignal override the default for SIGINT', () => {
    expect(resolveShutdownOptions({ secondSignal: { SIGINT: 'ignore' } }).secondSignal).toEqual({ SIGINT: 'ignore' });
  });

  it.each(['timeoutMs', 'defaultPhaseTimeoutMs', 'bootTimeoutMs', 'gracePeriodMs', 'preStopMs', 'hooksBudgetMs'])(
    'refuses a bad %s and names it',
    (name) => {
      for (const value of [-1, NaN, Infinity, 2 ** 31, '5000', null]) {
        expect(bad({ [name]: value })).toThrow(InvalidTimeoutError);
        expect(bad({ [name]: value })).toThrow(
          expect.objectContaining({ code: 'SHUTDOWN_INVALID_TIMEOUT', option: name, value }),
        );
        expect(bad({ [name]: value })).toThrow(name);
      }
    },
  );

  it.each(['timeoutMs', 'defaultPhaseTimeoutMs', 'bootTimeoutMs', 'gracePeriodMs'])('refuses a %s of 0', (name) => {
    expect(bad({ [name]: 0 })).toThrow(InvalidTimeoutError);
  });

  it.each([
    ['an unknown option', { timeout: 5 }, 'timeout'],
    ['an unknown option that JSON cannot show', { loger: circle() }, 'loger'],
    ['an unknown exit option', { exit: { code: 5 } }, 'exit.code'],
    ['an unknown phase option', { phases: { x: { timeout: 5 } } }, 'phases["x"].timeout'],
    ['options that are not an object', null, 'options'],
    ['exit that is not an object', { exit: null }, 'exit'],
    ['phases that are not an object', { phases: null }, 'phases'],
    ['a phase that is not an object', { phases: { x: undefined } }, 'phases["x"]'],
    ['exit.reasons that are not an object', { exit: { reasons: 70 } }, 'exit.reasons'],
    ['secondSignal that is not an object', { secondSignal: 'exit' }, 'secondSignal'],
    ['an unknown concurrency', { concurrency: 'parallel' }, 'concurrency'],
    ['uncaught that is not a boolean', { uncaught: 1 }, 'uncaught'],
    ['throwOnFailure that is not a boolean', { throwOnFailure: 'yes' }, 'throwOnFailure'],
    ['an unknown exit.process', { exit: { process: 'always' } }, 'exit.process'],
    ['an unknown action on a second signal', { secondSignal: { SIGTERM: 'kill' } }, 'secondSignal.SIGTERM'],
    ['signals that are not a list', { signals: 'SIGTERM' }, 'signals'],
  ])('refuses %s and names it', (_, options, name) => {
    expect(bad(options)).toThrow(InvalidShutdownOptionError);
    expect(bad(options)).toThrow(option(name));
    expect(bad(options)).toThrow(`\`${name}\``);
  });

  it('lists the valid options when one is misspelled', () => {
    expect(bad({ timeout: 5 })).toThrow(
      /there is no such option\. Valid options: timeoutMs, defaultPhaseTimeoutMs, .*logger/,
    );
  });

  it.each([-1, 256, 1.5, NaN, '1'])('refuses %p as an exit code', (code) => {
    expect(bad({ exit: { onFailure: code } })).toThrow(option('exit.onFailure'));
    expect(bad({ exit: { reasons: { 'cluster-downing': code } } })).toThrow(option('exit.reasons["cluster-downing"]'));
  });

  it('shows NaN as NaN in the message', () => {
    expect(bad({ exit: { onFailure: NaN } })).toThrow('`exit.onFailure` is NaN');
  });

  it.each([0, 1, 255])('accepts %p as an exit code', (code) => {
    expect(resolveShutdownOptions({ exit: { onFailure: code, reasons: { x: code } } }).exit).toMatchObject({
      onFailure: code,
    });
  });

  it('refuses uncaught: true together with exit.process: false', () => {
    expect(bad({ uncaught: true, exit: { process: false } })).toThrow(ContradictoryOptionsError);
    expect(bad({ uncaught: true, exit: { process: false } })).toThrow(
      expect.objectContaining({
        code: 'SHUTDOWN_CONTRADICTORY_OPTIONS',
        options: ['uncaught: true', 'exit.process: false'],
      }),
    );
    expect(bad({ uncaught: true })).not.toThrow();
  });

  it('logs to the console under the name of the lib', () => {
    const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    resolveShutdownOptions().logger.log('a');
    expect(log.mock.calls).toEqual([['[shutdown] a']]);
    log.mockRestore();
  });

  it('keeps a throwing logger from throwing', () => {
    const logger = new RecordingLogger();
    const resolved = resolveShutdownOptions({ logger }).logger;
    resolved.log('a');
    resolved.warn('b');
    resolved.error('c');

    expect(logger.lines).toEqual(['log: a', 'warn: b', 'error: c']);
    logger.log = () => {
      throw new Error('disk full');
    };
    expect(() => resolved.log('d')).not.toThrow();
  });
});

describe('assertSignals', () => {
  it.each(['SIGKILL', 'SIGSTOP'])('refuses %s, which no process can catch', (signal) => {
    expect(() => assertSignals([signal])).toThrow('but must be a signal that a process can catch.');
  });

  it.each(['sigterm', 'TERM', '', 15, undefined, 'constructor', 'toString'])(
    'refuses %p, which is not a signal',
    (signal) => {
      expect(() => assertSignals([signal])).toThrow('but must be the name of a signal');
    },
  );

  it('accepts any list of signals, even an empty one', () => {
    expect(() => assertSignals(['SIGHUP', 'SIGUSR2'])).not.toThrow();
    expect(() => assertSignals([])).not.toThrow();
  });
});

function circle(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}
