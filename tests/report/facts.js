// What can be measured of a page `doc` that is shown in `frame`.
(() => {
  const all = (root, what) => [...root.querySelectorAll(what)];
  const figures = all(doc, 'figure svg');
  const boxes = figures.map(svg => svg.getBoundingClientRect()).map(b => [b.left, b.top, b.width, b.height]);
  all(doc, 'details').forEach(part => { part.open = true; });  // what unfolds must fit, too
  const drawn = mark => {
    const box = mark.getBoundingClientRect();
    return /--(main|other|third|fourth|fifth|ink)/.test(mark.getAttribute('style')) && box.width + box.height > 2;
  };
  const size = text => {
    const svg = text.ownerSVGElement;
    return parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  };
  const beyond = svg => {
    const box = svg.getBoundingClientRect();
    return all(svg, 'text').filter(text => {
      const b = text.getBoundingClientRect();
      return b.left < box.left - 2 || b.right > box.right + 2 || b.top < box.top - 2 || b.bottom > box.bottom + 2;
    }).map(text => text.textContent);
  };
  const crossing = svg => {
    const texts = all(svg, 'text').map(text => [text.textContent, text.getBoundingClientRect()]);
    const found = [];
    texts.forEach(([one, a], i) => texts.slice(i + 1).forEach(([other, b]) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 2 && down > 4) found.push(`${one} / ${other}`);
    }));
    return found;
  };
  return {
    window: frame.clientWidth,
    width: doc.documentElement.scrollWidth,
    smallest: Math.min(...all(doc, 'text').map(size)),
    outside: figures.flatMap(beyond),
    over: figures.flatMap(crossing),
    marks: figures.map(svg => all(svg, 'path, use').filter(drawn).length),
    runs: all(doc, 'table.runs').map(table => table.parentElement).map(box => ({
      inside: box.scrollWidth, box: box.clientWidth, scrolls: getComputedStyle(box).overflowX })),
    text: all(doc, 'main > p, section > p').map(p => p.clientWidth / doc.querySelector('main').clientWidth),
    boxes,
  };
})()
