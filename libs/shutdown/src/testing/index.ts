export { FakeProcess, FakeStream } from '../core/process/fake-process.js';
export { TestApps } from './test-apps.js';
