import { at } from '../run/graph.fixture.js';
import { DueTags } from './due-tags.js';

describe('DueTags', () => {
  it('moves an event for a taken tag to the first free microstep', () => {
    const due = new DueTags();
    expect([due.take(at(5)), due.take(at(5)), due.take(at(5, 1)), due.take(at(6))]).toEqual([
      at(5),
      at(5, 1),
      at(5, 2),
      at(6),
    ]);
  });

  it('reuses a tag that has been released', () => {
    const due = new DueTags();
    due.take(at(5));
    due.release(at(5));
    expect(due.take(at(5))).toEqual(at(5));
  });
});
