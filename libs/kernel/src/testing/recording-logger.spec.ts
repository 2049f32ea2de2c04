import { RecordingLogger } from './recording-logger.js';

describe('RecordingLogger', () => {
  it('records the lines of all levels in order', () => {
    const logger = new RecordingLogger();
    logger.log('one');
    logger.warn('two');
    logger.error('three');
    logger.debug('four');

    expect(logger.lines).toEqual(['log: one', 'warn: two', 'error: three', 'debug: four']);
    expect(logger.of('warn')).toEqual(['warn: two']);
    expect(logger.matching(/o/)).toEqual(['log: one', 'warn: two', 'error: three', 'debug: four']);
    expect(logger.matching(/four/)).toEqual(['debug: four']);
  });
});
