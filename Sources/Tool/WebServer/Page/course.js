// SPDX-License-Identifier: MIT
// The course of a device's main value within the last hour: a small line in the table.

const most = 60, widest = 60;
const width = 84, height = 22;

/// The first of these is the main value of a device; the rest matters more than the battery and the signal.
const first = /^(temperature|heart_rate|power|weight|co2|distance)/;
const last = /^(battery|voltage|packet|counter)/;

/// The place of a field in the choice of the main value: the lowest wins.
export function rank(field) { return field === "rssi_dbm" ? 3 : last.test(field) ? 2 : first.test(field) ? 0 : 1; }

export class Course {
  /// [slot of time, value]
  points = [];
  /// The seconds that share a point: more, the longer the course is.
  slot = 1;

  add(time, value) {
    const slot = Math.floor(time / this.slot);
    // The clock was set back.
    while (this.points.length > 0 && this.points.at(-1)[0] > slot) this.points.pop();
    if (this.points.at(-1)?.[0] === slot) this.points.at(-1)[1] = value;
    else this.points.push([slot, value]);
    if (this.points.length > most) this.widen();
  }

  widen() {
    if (this.slot < widest) {
      this.slot *= 2;
      const joined = new Map(this.points.map(([slot, value]) => [Math.floor(slot / 2), value]));
      this.points = [...joined];
    }
    const begin = this.points.at(-1)[0] - most;
    this.points = this.points.filter(([slot]) => slot > begin).slice(-most);
  }

  /// The path; that of a flag has steps.
  path(isFlag) {
    if (this.points.length < 2) return "";
    const values = this.points.map(point => point[1]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const [start, end] = [this.points[0][0], this.points.at(-1)[0]];
    const y = value => high === low ? height / 2 : height - 2 - (height - 4) * (value - low) / (high - low);
    return this.points.map(([slot, value], index) => {
      const [x, at] = [(1 + (width - 2) * (slot - start) / (end - start)).toFixed(1), y(value).toFixed(1)];
      return index === 0 ? `M${x} ${at}` : isFlag ? `H${x}V${at}` : `L${x} ${at}`;
    }).join("");
  }
}
