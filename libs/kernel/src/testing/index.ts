export { RecordingLogger } from './recording-logger.js';
