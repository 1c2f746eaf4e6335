// Bindings of the corrective rounds in coordinates. The quadratic problems of a round are bound in qp_bindings.cpp.
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "data_bindings.hpp"
#include "bindings.hpp"
#include "coordinate_rounds.hpp"
#include "regions.hpp"

namespace greedyhull {

// One type for Python, whatever the data are.
class RegionRounds : public AnyRounds {
   public:
    virtual void begin(Vector<const double> x, bool cold) = 0;
    virtual nb::object point() const = 0;
};

// What is the same whatever the rounds are.
template <class Core>
class RegionRoundsWith : public Held<RegionRounds, Core> {
    using Base = Held<RegionRounds, Core>;

   public:
    using Base::Base;
    void begin(Vector<const double> x, bool cold) override {
        expect(x.shape(0) == core_.x.size(), "begin: a coordinate for each column is wanted");
        core_.x.assign(x.data(), x.data() + x.shape(0));
        nb::gil_scoped_release free;
        core_.begin(cold);
    }
    nb::object point() const override { return as_array(core_.x); }

   protected:
    using Base::core_;
};

template <class D, class Frame>
class RegionRoundsOf : public RegionRoundsWith<CoordinateRounds<D, Frame>> {
    using Base = RegionRoundsWith<CoordinateRounds<D, Frame>>;
    using Base::core_;

   public:
    RegionRoundsOf(D X, std::unique_ptr<SmoothLoss> loss, std::unique_ptr<Region> region, double l2, Index steps, Index most,
                   nb::list alive)
        : Base(std::move(alive), X, std::move(loss), std::move(region), l2, steps, most), n_(X.n), d_(X.d) {}

    nb::tuple seen() const override {
        return nb::make_tuple(as_array(core_.z), core_.value(), as_array(core_.residual()), as_array(core_.gradient));
    }

    nb::dict state() const override {
        const auto& working = core_.frame.curved;
        nb::dict out;
        out["x"] = as_array(core_.x), out["z"] = as_array(core_.z);
        out["residual"] = as_array(core_.residual()), out["curvature"] = as_array(core_.curvature());
        out["columns"] = as_array(core_.frame.index()), out["directions"] = as_array(core_.frame.rows());
        out["hessian"] = as_array(working.known ? working.H : Numbers());
        out["rows"] = as_array(working.known ? working.rows : std::vector<double>());
        const std::vector<double> told = {core_.last_gap, double(core_.sampling), double(working.known),
                                          double(working.from_sample), core_.loss().b, core_.best_gap, core_.best_value,
                                          double(core_.idle), core_.multiplier(), core_.value()};
        out["told"] = as_array(told);
        return out;
    }

    void restore(nb::dict state) override {
        const auto x = as_vector<double>(state["x"]), z = as_vector<double>(state["z"]), H = as_vector<double>(state["hessian"]),
                   rows = as_vector<double>(state["rows"]), residual = as_vector<double>(state["residual"]),
                   curvature = as_vector<double>(state["curvature"]), told = as_vector<double>(state["told"]);
        const auto columns = as_vector<Index>(state["columns"]);
        const std::size_t m = columns.size(), n = static_cast<std::size_t>(n_);
        expect(x.size() == static_cast<std::size_t>(d_) && z.size() == n && residual.size() == n && curvature.size() == n &&
                   told.size() == 10 && H.size() <= m * m && (rows.empty() || rows.size() == n),
               "restore: the saved parts do not fit together");
        expect_below(Span<const Index>{columns.data(), static_cast<Index>(m)}, d_, "restore: a column is not there");
        expect(core_.frame.restore(columns, as_vector<double>(state["directions"]), d_), "restore: the directions do not fit");
        auto& working = core_.frame.curved;
        core_.x = x, core_.z = z, working.H.assign(H.begin(), H.end()), working.rows = rows;
        core_.last_gap = told[0], core_.sampling = told[1] != 0.0, working.from_sample = told[3] != 0.0;
        working.known = told[2] != 0.0 && H.size() == m * m && (core_.loss().quadratic || rows.size() == n || told[3] != 0.0);
        core_.loss().b = told[4], core_.best_gap = told[5], core_.best_value = told[6], core_.idle = static_cast<Index>(told[7]);
        core_.set_multiplier(told[8]);
        nb::gil_scoped_release free;
        core_.take_up(residual, curvature, told[9]);
    }

   private:
    Index n_, d_;
};

template <class Form>
class QuadraticRoundsOf : public RegionRoundsWith<QuadraticRounds<Form>> {
    using Base = RegionRoundsWith<QuadraticRounds<Form>>;
    using Base::core_;

   public:
    QuadraticRoundsOf(Form Q, Span<const double> b, std::unique_ptr<Region> region, nb::list alive)
        : Base(std::move(alive), std::move(Q), b, std::move(region)) {}

    nb::tuple seen() const override {
        return nb::make_tuple(as_array(core_.z), core_.value(), as_array(core_.gradient), as_array(core_.gradient));
    }
    nb::dict state() const override {
        nb::dict out;
        out["x"] = as_array(core_.x);
        const std::vector<double> told = {core_.best_gap, core_.best_value, double(core_.idle), core_.region().multiplier};
        out["told"] = as_array(told);
        return out;
    }
    void restore(nb::dict state) override {
        const auto x = as_vector<double>(state["x"]), told = as_vector<double>(state["told"]);
        expect(x.size() == core_.x.size() && told.size() == 4, "restore: the saved parts do not fit together");
        core_.x = x, core_.best_gap = told[0], core_.best_value = told[1], core_.idle = static_cast<Index>(told[2]);
        core_.region().multiplier = told[3];
        nb::gil_scoped_release free;
        core_.take_up();
    }
};

enum RegionKind { BOX_REGION, FILLING_REGION, BALL_REGION, GROUPED_REGION };  // as solvers/parts/compiled_coordinates.py has them

// `one` has upper bounds, `other` the group of each coordinate, then the cap of each group.
std::unique_ptr<Region> grouped_region(const Vector<const double>& one, const Vector<const double>& other, double size, Index d) {
    const Index groups = static_cast<Index>(other.shape(0)) - d;
    expect(static_cast<Index>(one.shape(0)) == d && groups > 0 && size > 0.0, "a bound and a group a column are wanted");
    std::vector<Index> of;
    for (Index j = 0; j < d; j++) {
        expect(other.data()[j] >= 0.0 && other.data()[j] < static_cast<double>(groups), "a group that is there is wanted");
        of.push_back(static_cast<Index>(other.data()[j]));
    }
    return std::make_unique<GroupedRegion>(span(one), std::move(of), Span<const double>{other.data() + d, groups}, size);
}

std::unique_ptr<Region> region_of(int kind, const Vector<const double>& one, const Vector<const double>& other, double size,
                                  Index d, nb::list& alive) {
    alive.append(nb::cast(one)), alive.append(nb::cast(other));
    if (kind == GROUPED_REGION) return grouped_region(one, other, size, d);
    expect(static_cast<Index>(one.shape(0)) == d && static_cast<Index>(other.shape(0)) == d, "one bound a column is wanted");
    if (kind == BOX_REGION) return std::make_unique<BoxRegion>(span(one), span(other));
    if (kind == FILLING_REGION) return std::make_unique<CappedSimplexRegion>(span(one), size);
    expect(kind == BALL_REGION && size > 0.0, "a region that the core knows is wanted");
    return std::make_unique<BallRegion>(span(one), size);
}

template <class D>
std::unique_ptr<RegionRounds> region_rounds(D X, nb::list alive, nb::object loss, bool quadratic, bool intercept, int kind,
                                            Vector<const double> one, Vector<const double> other, double size, double l2,
                                            Index steps, bool spans, Index most) {
    auto terms = any_loss(loss, X.n, quadratic, intercept, alive);
    auto region = region_of(kind, one, other, size, X.d, alive);
    expect(most > 0 && (!spans || kind == BALL_REGION), "a ball is wanted for a span, and room for a direction");
    if (spans)
        return std::make_unique<RegionRoundsOf<D, SpanFrame<D>>>(X, std::move(terms), std::move(region), l2, steps, most, alive);
    return std::make_unique<RegionRoundsOf<D, UnitFrame<D>>>(X, std::move(terms), std::move(region), l2, steps, most, alive);
}

std::unique_ptr<RegionRounds> form_region_rounds(Table2<const double> Q, Vector<const double> b, int kind, Vector<const double> one,
                                                 Vector<const double> other, double size, Index most) {
    const Index d = span(b).size;
    expect(matrix(Q).rows == d && matrix(Q).columns == d && d > 0, "a square matrix is wanted");
    nb::list alive;
    alive.append(nb::cast(Q)), alive.append(nb::cast(b));
    auto region = region_of(kind, one, other, size, d, alive);
    if (kind == GROUPED_REGION)
        return std::make_unique<QuadraticRoundsOf<SomeOfMatrix>>(SomeOfMatrix(Q.data(), d, most), span(b), std::move(region),
                                                                   alive);
    return std::make_unique<QuadraticRoundsOf<WholeMatrix>>(WholeMatrix(Q.data(), d), span(b), std::move(region), alive);
}

std::unique_ptr<RegionRounds> factored_region_rounds(nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> F,
                                                     Vector<const double> D, Vector<const double> b, int kind,
                                                     Vector<const double> one, Vector<const double> other, double size,
                                                     Index most) {
    const Index d = span(b).size;
    expect(static_cast<Index>(F.shape(1)) == d && span(D).size == d && d > 0, "a column of factors a coordinate is wanted");
    nb::list alive;
    alive.append(nb::cast(D)), alive.append(nb::cast(b));
    using Form = FactorsAndDiagonal<Dense<double>>;
    Form form(dense_design(F, alive), D.data(), most);
    auto region = region_of(kind, one, other, size, d, alive);
    return std::make_unique<QuadraticRoundsOf<Form>>(std::move(form), span(b), std::move(region), alive);
}

void add_coordinate_rounds(nb::module_& m) {
    rounds_class<RegionRounds>(m, "RegionRounds")
        .def("begin", &RegionRounds::begin, nb::arg().noconvert(), nb::arg())
        .def("point", &RegionRounds::point);
    const auto plain = nb::arg().noconvert();  // arguments are looked at with the GIL held
    m.def("form_region_rounds", form_region_rounds, plain, plain, nb::arg(), plain, plain, nb::arg(), nb::arg());
    m.def("factored_region_rounds", factored_region_rounds, plain, plain, plain, nb::arg(), plain, plain, nb::arg(), nb::arg());
    each_design([&](auto kind) { def_design(m, "region_rounds", region_rounds<typename decltype(kind)::type>); });
}

}  // namespace greedyhull
