// SPDX-License-Identifier: MIT
// A number of a device over time, with a bounded number of points.

export class Line {
  /// [time, low, high, last, true behind a gap]
  points = [];
  #isBroken = false;
  /// How many values in a row are earlier than the last one.
  #early = 0;

  /// `points` are those of /api/values, with null for a gap; of more than `most`, older ones are joined.
  constructor({ points = [], ...facts }, most) {
    Object.assign(this, facts, { most });
    for (const point of points) {
      if (point) this.points.push([point[0], point[1], point[2], point[3], this.#isBroken]);
      this.#isBroken = point === null;
    }
  }

  add(time, value) {
    const last = this.points.at(-1);
    if (last && time <= last[0]) {
      // What is loaded may come again as a record.
      if (last[0] - time < 2) return;
      // One wrong time among right ones; of two, the clock was set back.
      this.#early += 1;
      if (this.#early < 2) return;
      this.points.length = this.index(time);
      this.#isBroken = true;
    }
    this.#early = 0;
    this.push([time, value, value, value, false]);
  }

  /// Adds a point that another line had, with its band and its gap.
  push([time, low, high, value, isAfterGap]) {
    this.points.push([time, low, high, value, isAfterGap || this.#isBroken]);
    this.#isBroken = false;
    if (this.points.length > this.most) this.join();
  }

  break() { this.#isBroken = true; }

  /// Joins pairs, except over gaps.
  join() {
    const joined = [];
    for (let place = 0; place < this.points.length; place += 1) {
      const [one, other] = this.points.slice(place, place + 2);
      const isPair = other && !other[4];
      joined.push(isPair ? [one[0], Math.min(one[1], other[1]), Math.max(one[2], other[2]), other[3], one[4]] : one);
      if (isPair) place += 1;
    }
    this.points = joined.slice(-Math.floor(this.most * 3 / 4));
  }

  /// The place of the first point that is not before a time.
  index(time) {
    let [low, high] = [0, this.points.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.points[middle][0] < time) low = middle + 1; else high = middle;
    }
    return low;
  }

  /// The points of a time, with one more on each side: lines go to the edge.
  between(start, end) {
    return this.points.slice(Math.max(0, this.index(start) - 1), this.index(end) + 1);
  }

  /// The last point until a time; nothing in a gap, or behind the end of a line that is broken.
  at(time) {
    const place = this.index(time);
    if (this.points[place]?.[0] === time) return this.points[place];
    return this.points[place]?.[4] || place === this.points.length && this.#isBroken ? undefined : this.points[place - 1];
  }

  /// The lowest, the highest, and the mean over time; nothing if there is no point. A flag keeps its value until the next one.
  summary(start, end, isFlag) {
    let [low, high, sum, length, count, plain] = [Infinity, -Infinity, 0, 0, 0, 0];
    for (let place = this.index(start); place < this.points.length && this.points[place][0] <= end; place += 1) {
      const [time, least, greatest, value, isAfterGap] = this.points[place];
      low = Math.min(low, least);
      high = Math.max(high, greatest);
      plain += value;
      count += 1;
      const before = this.points[place - 1];
      if (!before || isAfterGap || before[0] < start) continue;
      sum += (time - before[0]) * (isFlag ? before[3] : (value + before[3]) / 2);
      length += time - before[0];
    }
    return count === 0 ? undefined : { low, high, mean: length > 0 ? sum / length : plain / count, weight: length || 1e-9 };
  }
}
