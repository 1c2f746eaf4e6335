// How Python holds Frank-Wolfe iterations: an object that keeps its arrays alive, is told where to stand and how far to go.
#include <nanobind/stl/unique_ptr.h>

#include <functional>
#include <memory>

#include "data_bindings.hpp"
#include "frank_wolfe.hpp"
#include "bindings.hpp"

namespace greedyhull {

class Steps {
   public:
    Steps(std::unique_ptr<Columns> X, std::unique_ptr<SmoothLoss> loss, Budget budget, Span<const double> scales,
          StepSizes steps, nb::list alive)
        : alive_(std::move(alive)), core_(std::move(X), std::move(loss), budget, scales, steps) {}

    // Stand at sum_a weight_a scale_a e_(index_a) with image z, the search for an intercept to begin at b. Says whether value and
    // gradient are finite there.
    bool begin(Vector<const double> z, Vector<const Index> index, Vector<const double> scale, Vector<const double> weight,
               Index moves, double b) {
        expect(index.shape(0) == scale.shape(0) && index.shape(0) == weight.shape(0), "begin: one weight an atom is wanted");
        expect_below(span(index), core_.data().d, "begin: a coordinate is not there");
        core_.now.index.assign(index.data(), index.data() + index.shape(0));
        core_.now.scale.assign(scale.data(), scale.data() + scale.shape(0));
        core_.now.weight.assign(weight.data(), weight.data() + weight.shape(0));
        core_.now.x.clear();
        return stand(z, moves, b);
    }

    // Stand at the point x, a mixture of given points.
    bool begin_at(Vector<const double> z, Vector<const double> x, Index moves, double b) {
        expect(core_.data().point(0) != nullptr && static_cast<Index>(x.shape(0)) == core_.data().width,
               "begin_at: a point of the set is wanted");
        core_.now.x.assign(x.data(), x.data() + x.shape(0));
        return stand(z, moves, b);
    }

    // Why the burst ended, and the columns value, gap, seconds, atoms and step of the points it came to.
    nb::tuple advance(Index k, Index rounds, double absolute, double relative, double floor, double rounding, double lower,
                      nb::callable asked) {
        std::vector<StepRow> trace;
        BurstEnd ending;
        {
            nb::gil_scoped_release free;
            Asking ask(asked);
            ending = core_.burst(k, {rounds, absolute, relative, floor, rounding}, lower, std::ref(ask), trace);
        }
        std::vector<double> value, gap, seconds, step;
        std::vector<Index> atoms;
        for (const StepRow& row : trace) {
            value.push_back(row.value), gap.push_back(row.gap), seconds.push_back(row.seconds);
            step.push_back(row.step), atoms.push_back(row.atoms);
        }
        return nb::make_tuple(static_cast<int>(ending), nb::make_tuple(as_array(value), as_array(gap), as_array(seconds),
                                                                       as_array(atoms), as_array(step)));
    }

    // Index, scale and weight of the atoms, or the coordinates alone.
    static nb::tuple point_of(const Standing& at) {
        if (!at.x.empty()) return nb::make_tuple(as_array(at.x));
        return nb::make_tuple(as_array(at.index), as_array(at.scale), as_array(at.weight));
    }
    nb::tuple point() const { return point_of(core_.now); }
    nb::tuple seen() const {  // z, the value there, the residual and the gradient
        return nb::make_tuple(as_array(core_.now.z), core_.now.value, as_array(core_.now.r), as_array(core_.gradient()));
    }
    // The point of the best bound of the last burst, but for the last point: the point, what is seen there, moves and gap.
    nb::object best() const {
        if (!core_.improved) return nb::none();
        const Standing& at = core_.best;
        return nb::make_tuple(point_of(at), nb::make_tuple(as_array(at.z), at.value, as_array(at.r), as_array(at.gradient)),
                              at.moves, at.gap);
    }
    double intercept() { return core_.loss().b; }

   private:
    nb::list alive_;  // the arrays that pointers lead to
    FrankWolfe core_;

    bool stand(Vector<const double> z, Index moves, double b) {
        expect(static_cast<Index>(z.shape(0)) == core_.data().n, "an image with one entry a row is wanted");
        core_.now.z.assign(z.data(), z.data() + z.shape(0));
        core_.now.moves = moves, core_.loss().b = b;
        nb::gil_scoped_release free;
        core_.begin();
        return std::isfinite(core_.now.value) && std::isfinite(core_.now.gap);
    }
};

// The loss is (kind, parameter, y, p); points are a matrix with a point in each row, or None where the atoms are coordinates.
template <class D>
std::unique_ptr<Steps> steps_of(D X, nb::list alive, nb::tuple loss, bool intercept, bool positive, bool whole,
                                Vector<const double> scales, int rule, double parameter, nb::object points) {
    const auto on = [&](auto data) {
        expect(scales.shape(0) == 1 || static_cast<Index>(scales.shape(0)) == data.d, "one scale an atom is wanted");
        expect(data.d > 0 && rule >= 0 && rule <= 4, "atoms and a step rule that the core knows are wanted");
        alive.append(nb::cast(scales));
        auto terms = named_loss(loss, data.n, intercept, alive);
        return std::make_unique<Steps>(std::make_unique<ColumnsOf<decltype(data)>>(std::move(data)), std::move(terms),
                                       Budget{positive, whole}, span(scales), StepSizes{rule, parameter}, alive);
    };
    if (points.is_none()) return on(X);
    const Points given = points_of(points, X.d, alive);
    expect(!given.sparse(), "dense points are wanted");
    auto mapped = Mapped<D>::of(X, given);
    mapped.gradient.resize(static_cast<std::size_t>(X.d));
    return on(std::move(mapped));
}

void add_steps(nb::module_& m) {
    const auto plain = nb::arg().noconvert();
    nb::class_<Steps>(m, "Steps")
        .def("begin", &Steps::begin, plain, plain, plain, plain, nb::arg(), nb::arg())
        .def("begin_at", &Steps::begin_at, plain, plain, nb::arg(), nb::arg())
        .def("advance", &Steps::advance)
        .def("point", &Steps::point)
        .def("seen", &Steps::seen)
        .def("best", &Steps::best)
        .def("intercept", &Steps::intercept);
    each_design([&](auto kind) { def_design(m, "steps", steps_of<typename decltype(kind)::type>); });
}

}  // namespace greedyhull
