// SPDX-License-Identifier: MIT

/// A file of the page, which is part of the program.
struct PageFile {
  let type: String
  let bytes: [UInt8]

  /// Returns nil if the file does not exist.
  init?(named name: String) {
    switch name {
    case "index.html": (type, bytes) = ("text/html; charset=utf-8", PackageResources.index_html)
    case "login.html": (type, bytes) = ("text/html; charset=utf-8", PackageResources.login_html)
    case "app.css": (type, bytes) = ("text/css; charset=utf-8", PackageResources.app_css)
    case "icon.svg": (type, bytes) = ("image/svg+xml", PackageResources.icon_svg)
    default:
      guard let script = Self.script(name) else { return nil }
      (type, bytes) = ("text/javascript; charset=utf-8", script)
    }
  }

  private static func script(_ name: String) -> [UInt8]? {
    switch name {
    case "alerts.js": PackageResources.alerts_js
    case "app.js": PackageResources.app_js
    case "chart.js": PackageResources.chart_js
    case "chooser.js": PackageResources.chooser_js
    case "clock.js": PackageResources.clock_js
    case "condition.js": PackageResources.condition_js
    case "course.js": PackageResources.course_js
    case "elements.js": PackageResources.elements_js
    case "feed.js": PackageResources.feed_js
    case "format.js": PackageResources.format_js
    case "line.js": PackageResources.line_js
    case "log.js": PackageResources.log_js
    case "model.js": PackageResources.model_js
    case "panel.js": PackageResources.panel_js
    case "picture.js": PackageResources.picture_js
    case "scale.js": PackageResources.scale_js
    case "table.js": PackageResources.table_js
    case "text.js": PackageResources.text_js
    case "write.js": PackageResources.write_js
    default: nil
    }
  }
}
