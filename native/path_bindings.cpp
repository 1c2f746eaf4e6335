// Bindings of paths over many radii.
#include <functional>
#include <memory>
#include <nanobind/stl/unique_ptr.h>

#include "bindings.hpp"
#include "data_bindings.hpp"
#include "loss_path.hpp"
#include "penalised_descent.hpp"
#include "square_path.hpp"

namespace greedyhull {

std::unique_ptr<SquareTrail> from_kink_to_kink(std::unique_ptr<SquareData> data, bool positive) {
    return std::make_unique<SquarePath>(std::move(data), positive);
}

class Path {
   public:
    Path(std::unique_ptr<SquareTrail> trail, nb::list alive) : alive_(std::move(alive)), trail_(std::move(trail)) {}

    nb::tuple to(double r, double tol, nb::callable asked) {
        expect(r > 0.0 && tol > 0.0, "to: a positive radius and a positive tolerance are wanted");
        SquareStage s;
        {
            nb::gil_scoped_release free;
            Asking ask(asked);
            s = trail_->to(r, tol, false, std::ref(ask));
        }
        return nb::make_tuple(s.value, s.gap, s.price, s.norm);
    }
    // Row k of W: the point for the k-th of growing radii, in the units of the data.
    void walk(Vector<const double> radii, double tol, Vector<const double> scales, Table2<double> W, nb::callable asked) {
        const Matrix<double> out = matrix(W);
        expect(out.rows == static_cast<Index>(radii.shape(0)) && out.columns == trail_->size &&
                   static_cast<Index>(scales.shape(0)) == out.columns, "walk: a row for each radius is wanted");
        for (Index k = 0; k < out.rows; k++) expect(span(radii)[k] > 0.0, "walk: positive radii are wanted");
        nb::gil_scoped_release free;
        Asking ask(asked);
        for (Index k = 0; k < out.rows; k++) {
            trail_->to(span(radii)[k], tol, true, std::ref(ask));
            std::fill(out.row(k), out.row(k) + out.columns, 0.0);
            trail_->each([&](Index j, double x) { out(k, j) = span(scales)[j] * x; });
        }
    }
    nb::tuple point() const {  // coordinates that are not zero, in budget units
        std::vector<Index> at;
        std::vector<double> x;
        trail_->each([&](Index j, double weight) { at.push_back(j), x.push_back(weight); });
        return nb::make_tuple(as_array(at), as_array(x));
    }
    nb::tuple first() const { return nb::make_tuple(trail_->f0, trail_->first); }

   private:
    nb::list alive_;  // the arrays that pointers lead to
    std::unique_ptr<SquareTrail> trail_;
};

std::unique_ptr<Path> matrix_path(Table2<const double> H, Vector<const double> b, double f0, Vector<const double> scales,
                                  bool positive) {
    const Index d = static_cast<Index>(b.shape(0));
    expect(static_cast<Index>(H.shape(0)) == d && static_cast<Index>(H.shape(1)) == d, "a square matrix of the size of b is wanted");
    expect(span(scales).size == d, "one scale a column is wanted");
    nb::list alive;
    alive.append(nb::cast(H)), alive.append(nb::cast(scales));
    return std::make_unique<Path>(from_kink_to_kink(std::make_unique<SquareMatrix>(H.data(), span(b), f0, span(scales)), positive), alive);
}

template <class D>
void expect_fit(const D& X, const Vector<const double>& y, const Vector<const double>& p, const Vector<const double>& scales) {
    expect(span(y).size == X.n && span(p).size == X.n, "a target and a weight a row are wanted");
    expect(span(scales).size == X.d, "one scale a column is wanted");
}

template <class T>
std::unique_ptr<Path> dense_path(Dense<T> data, nb::list alive, Vector<const double> y, Vector<const double> p, bool centre,
                                 Vector<const double> scales, bool positive) {
    expect_fit(data, y, p, scales);
    alive.append(nb::cast(scales));
    return std::make_unique<Path>(
        from_kink_to_kink(std::make_unique<SquareColumns<T>>(data, span(y), span(p), centre, span(scales)), positive), alive);
}

template <class T, class I>
std::unique_ptr<Path> sparse_path(ByColumn<T, I> data, nb::list alive, Vector<const double> y, Vector<const double> p, bool centre,
                                  Vector<const double> scales, bool positive, bool roughly) {
    expect_fit(data, y, p, scales);
    alive.append(nb::cast(y)), alive.append(nb::cast(p)), alive.append(nb::cast(scales));
    std::unique_ptr<SquareTrail> trail;
    if (roughly)
        trail = std::make_unique<SparseTrail<T, I>>(data, span(y), span(p), centre, span(scales), positive);
    else
        trail = from_kink_to_kink(std::make_unique<SquareSparse<T, I>>(data, span(y), span(p), centre, span(scales)), positive);
    return std::make_unique<Path>(std::move(trail), alive);
}

class LossTrail {
   public:
    virtual ~LossTrail() = default;
    virtual nb::tuple to(double r, double gap, Index rounds, nb::callable asked) = 0;
    virtual nb::tuple walk(Vector<const double> radii, double gap, Index rounds, Table2<double> W, nb::callable asked) = 0;
};

template <class Path>
class LossTrailOf : public LossTrail {
   public:
    template <class... About>
    LossTrailOf(nb::list alive, About&&... about) : alive_(std::move(alive)), path_(std::forward<About>(about)...) {}

    nb::tuple to(double r, double gap, Index rounds, nb::callable asked) override {
        expect(r > 0.0 && gap >= 0.0 && rounds >= 0, "to: a positive radius, a gap and a number of rounds are wanted");
        LossStage s;
        {
            nb::gil_scoped_release free;
            Asking ask(asked);
            s = path_.to(r, gap, rounds, std::ref(ask));
        }
        return nb::make_tuple(s.value, s.gap, s.price);
    }

    // Row k of W: the point for the k-th of growing radii. Returns the gaps and the intercepts.
    nb::tuple walk(Vector<const double> radii, double gap, Index rounds, Table2<double> W, nb::callable asked) override {
        const Matrix<double> out = matrix(W);
        expect(out.rows == static_cast<Index>(radii.shape(0)) && out.columns == path_.size(), "walk: a row for each radius is wanted");
        expect(gap >= 0.0 && rounds >= 0, "walk: a gap and a number of rounds are wanted");
        for (Index k = 0; k < out.rows; k++) expect(span(radii)[k] > 0.0, "walk: positive radii are wanted");
        std::vector<double> gaps, intercepts;
        {
            nb::gil_scoped_release free;
            Asking ask(asked);
            for (Index k = 0; k < out.rows; k++) {
                gaps.push_back(path_.to(span(radii)[k], gap, rounds, std::ref(ask)).gap), intercepts.push_back(path_.intercept());
                std::fill(out.row(k), out.row(k) + out.columns, 0.0);
                path_.each([&](Index j, double x) { out(k, j) = x; });
            }
        }
        return nb::make_tuple(as_array(gaps), as_array(intercepts));
    }

   private:
    nb::list alive_;  // the arrays that pointers lead to
    Path path_;
};

template <class Path, class D, class... Ways>
std::unique_ptr<LossTrail> trail_on(D X, nb::tuple loss, bool intercept, bool positive, Vector<const double> units, nb::list alive,
                                    Ways... ways) {
    expect(static_cast<Index>(units.shape(0)) == X.d, "one scale a column is wanted");
    auto known = named_loss(loss, X.n, intercept, alive);
    alive.append(nb::cast(units));
    return std::make_unique<LossTrailOf<Path>>(alive, X, std::move(known), positive, span(units), ways...);
}

template <class T>
std::unique_ptr<LossTrail> dense_loss_path(Dense<T> X, nb::list alive, nb::tuple loss, bool intercept, bool positive,
                                           Vector<const double> units, Index batch, Index steps) {
    return trail_on<LossPath<Dense<T>>>(X, loss, intercept, positive, units, alive, batch, steps);
}

// With `descends`, coordinate descent goes first.
template <class T, class I>
std::unique_ptr<LossTrail> sparse_loss_path(ByColumn<T, I> X, nb::list alive, nb::tuple loss, bool intercept, bool positive,
                                            Vector<const double> units, Index batch, Index steps, bool descends) {
    return trail_on<SparseLossPath<T, I>>(X, loss, intercept, positive, units, alive, batch, steps, descends);
}

template <class T>
void add_paths_of(nb::module_& m) {
    def_design(m, "path", dense_path<T>);
    def_design(m, "path", sparse_path<T, std::uint32_t>);
    def_design(m, "path", sparse_path<T, std::uint64_t>);
    def_design(m, "loss_path", dense_loss_path<T>);
    def_design(m, "loss_path", sparse_loss_path<T, std::uint32_t>);
    def_design(m, "loss_path", sparse_loss_path<T, std::uint64_t>);
}

void add_paths(nb::module_& m) {
    const auto plain = nb::arg().noconvert();
    nb::class_<Path>(m, "Path")
        .def("to", &Path::to)
        .def("walk", &Path::walk, plain, nb::arg(), plain, plain, nb::arg())
        .def("point", &Path::point)
        .def("first", &Path::first);
    nb::class_<LossTrail>(m, "LossTrail")
        .def("to", &LossTrail::to)
        .def("walk", &LossTrail::walk, plain, nb::arg(), nb::arg(), plain, nb::arg());
    m.def("matrix_path", matrix_path, plain, plain, nb::arg(), plain, nb::arg());
    add_paths_of<double>(m);
    add_paths_of<float>(m);
}

}  // namespace greedyhull
